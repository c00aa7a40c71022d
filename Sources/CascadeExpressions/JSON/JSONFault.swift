// SPDX-License-Identifier: Apache-2.0

/// Where bytes are no JSON, and why.
struct JSONFault: Error, Equatable {
    let message: String

    /// The byte at which it shows.
    let place: Int

    init(_ message: String, at place: Int) {
        self.message = message
        self.place = place
    }
}
