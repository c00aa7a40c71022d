// SPDX-License-Identifier: Apache-2.0

/// Bytes that are no message of the protocol, and what is wrong with them.
package struct WireError: Error, Equatable, CustomStringConvertible {
    /// The code that goes into the answer.
    package let code: ErrorCode

    /// One sentence for a person, with whatever it quotes escaped.
    package let description: String

    package init(_ code: ErrorCode, _ description: String) {
        self.code = code
        self.description = description
    }

    /// The bytes are no message at all.
    package init(_ description: String) {
        self.init(.malformed, description)
    }
}
