// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A session works only on messages that its current connection received, not on those of an
/// earlier connection or of the node's former holder.
struct StaleSessionOracle {
    private struct Handed: Hashable {
        var connection: ConnectionID
        var event: EventID
    }

    private var handed: Set<Handed> = []

    /// The daemon sends the event on a connection.
    mutating func handed(_ event: EventID, by connection: ConnectionID) {
        handed.insert(Handed(connection: connection, event: event))
    }

    /// A node begins to work on the event.
    func begun(_ event: EventID, by connection: ConnectionID?) -> Finding? {
        guard let connection,
            handed.contains(Handed(connection: connection, event: event))
        else {
            return Finding(
                "stale session", "a session works on an event that it did not receive",
                event: event)
        }
        return nil
    }
}
