// SPDX-License-Identifier: Apache-2.0

/// A fault that makes bytes invalid JSON.
struct JSONFault: Error, Equatable {
    let message: String

    /// The offset of the byte where the fault was found.
    let place: Int

    init(_ message: String, at place: Int) {
        self.message = message
        self.place = place
    }
}
