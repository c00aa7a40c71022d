// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A session works on nothing but what it was handed by the connection that it has: what was handed
/// to the connection before it, or to the session that held the node before, is over.
struct StaleSessionOracle {
    private struct Handed: Hashable {
        var connection: ConnectionID
        var event: EventID
    }

    private var handed: Set<Handed> = []

    /// The daemon hands the event to whoever is at the other end.
    mutating func handed(_ event: EventID, by connection: ConnectionID) {
        handed.insert(Handed(connection: connection, event: event))
    }

    /// A node begins to work on the event.
    func begun(_ event: EventID, by connection: ConnectionID?) -> Finding? {
        guard let connection,
            handed.contains(Handed(connection: connection, event: event))
        else {
            return Finding(
                "stale session", "a session works on what it was not handed", event: event)
        }
        return nil
    }
}
