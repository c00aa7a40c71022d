// SPDX-License-Identifier: Apache-2.0

/// An error with a title and a message for people. A node with ``Node/handleAlertErrors(_:)`` shows
/// them.
public protocol AlertableError: Error {
    /// The title shown above the message; `Error` by default.
    var title: String { get }
    var message: String { get }
}

extension AlertableError {
    public var title: String {
        "Error"
    }
}
