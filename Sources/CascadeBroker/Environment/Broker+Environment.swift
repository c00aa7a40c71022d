// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Environment and preferences: what nodes set, and what they are told.
extension Broker {
    mutating func set(_ message: SetEnvironment, by peer: PeerID) throws(WireError) {
        throw WireError(.unknownQuery, "this daemon has no environment yet")
    }

    /// Answers a query about the environment, the preferences or the rules.
    func environmentDocument(_ subject: Query.Subject) throws(WireError) -> JSONValue {
        throw WireError(.unknownQuery, "this daemon has no environment yet")
    }
}
