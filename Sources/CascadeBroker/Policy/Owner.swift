// SPDX-License-Identifier: Apache-2.0

/// Whose a place or a session is: a user's, or on tcp that of whoever has a key.
package struct Owner: Hashable, Sendable {
    var userID: UInt32
    var key: String?
}

extension Owner: CustomStringConvertible {
    package var description: String {
        key.map { "key '\($0)'" }
            ?? (userID == Credentials.unknown ? "nobody known" : "user \(userID)")
    }
}
