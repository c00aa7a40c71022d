// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The process and user at the other end of a connection, as reported by the kernel, or its
/// authenticated key.
package struct Credentials: Equatable, Sendable {
    /// The ID of an unknown user or group.
    package static let unknown = UInt32.max

    package var processID: UInt32
    package var userID: UInt32
    package var groupID: UInt32
    /// The supplementary groups.
    package var groups: [UInt32]
    /// The systemd unit of the process; empty if there is none.
    package var unit: String
    /// The name of the key that it has proved to have; `nil` where none was asked for.
    package var key: String?

    package init(
        processID: UInt32, userID: UInt32, groupID: UInt32, groups: [UInt32] = [],
        unit: String = "", key: String? = nil
    ) {
        self.processID = processID
        self.userID = userID
        self.groupID = groupID
        self.groups = groups
        self.unit = unit
        self.key = key
    }

    /// The credentials of a key's session that a connection has brought in. Of the connection's
    /// credentials only the process remains.
    init(of key: String, carriedBy connection: Credentials) {
        self.init(
            processID: connection.processID, userID: Self.unknown, groupID: Self.unknown, key: key)
    }

    /// The identity that policy uses.
    var identity: PolicyIdentity {
        let isKnown = userID != Self.unknown
        return PolicyIdentity(
            userID: isKnown ? userID : nil, groupIDs: isKnown ? [groupID] + groups : [],
            unit: isKnown ? unit : "", key: key)
    }

    package var owner: Owner {
        Owner(userID: userID, key: key)
    }
}

/// The owner of a place or a session: a user, or on tcp the holder of a key.
package struct Owner: Hashable, Sendable {
    package var userID: UInt32
    package var key: String?
}

extension Owner: CustomStringConvertible {
    package var description: String {
        key.map { "key '\($0)'" }
            ?? (userID == Credentials.unknown ? "unknown user" : "user \(userID)")
    }
}

/// One connection, as the shell numbers it. An index can be used again, with another generation.
package struct PeerID: Hashable, Sendable {
    package var index: UInt32
    package var generation: UInt32

    package init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }
}
