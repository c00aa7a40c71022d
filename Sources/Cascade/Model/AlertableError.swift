// SPDX-License-Identifier: Apache-2.0

/// An error with words for people: where it arrives at a node with
/// ``Node/handleAlertErrors(_:)``, they are shown.
public protocol AlertableError: Error {
    /// What heads the message; `Error` unless said otherwise.
    var title: String { get }
    var message: String { get }
}

extension AlertableError {
    public var title: String {
        "Error"
    }
}
