// SPDX-License-Identifier: Apache-2.0

/// The owner of a place or a session: a user, or on tcp the holder of a key.
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
