// SPDX-License-Identifier: Apache-2.0

/// The identity of a peer for policy. All fields come from the kernel or are proved by a key; none
/// is the peer's own claim.
package struct PolicyIdentity: Hashable, Sendable {
    /// `nil` where there is no word of the kernel: on tcp.
    package var userID: UInt32?
    /// Its own group, and its supplementary ones.
    package var groupIDs: [UInt32]
    /// The systemd unit; empty if there is none.
    package var unit: String
    /// The name of its key, where it has proved to have one.
    package var key: String?

    package init(
        userID: UInt32? = nil, groupIDs: [UInt32] = [], unit: String = "", key: String? = nil
    ) {
        self.userID = userID
        self.groupIDs = groupIDs
        self.unit = unit
        self.key = key
    }
}

extension PolicyIdentity: CustomStringConvertible {
    /// As a sentence names it.
    package var description: String {
        if let key {
            return "key '\(key)'"
        }
        guard let userID else {
            return "nobody known"
        }
        return unit.isEmpty ? "user \(userID)" : "user \(userID), unit '\(unit)'"
    }
}
