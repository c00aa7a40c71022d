// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import DequeModule

/// Connections to be closed because their peers broke the protocol. The delay lets the peer receive
/// the violation first.
struct ExpelledConnections {
    private struct Entry {
        var connection: ConnectionID
        var due: Instant
    }

    private static let delayMilliseconds: UInt32 = 100

    private var entries: Deque<Entry> = []
    private var connections: Set<ConnectionID> = []

    /// When the next connection is closed.
    var next: Instant? {
        entries.first?.due
    }

    /// Returns `false` if the connection is already in the queue.
    mutating func add(_ connection: ConnectionID, at now: Instant) -> Bool {
        guard connections.insert(connection).inserted else {
            return false
        }
        entries.append(
            Entry(
                connection: connection, due: now.advanced(byMilliseconds: Self.delayMilliseconds)))
        return true
    }

    mutating func shutDownDue(at now: Instant) {
        while let entry = entries.first, entry.due <= now {
            entries.removeFirst()
            connections.remove(entry.connection)
            entry.connection.shutDown()
        }
    }
}

/// Connections whose sessions have ended more than once, for a minute after the first end. Their
/// messages are neither read nor answered: each would begin a session and end it again.
struct SilencedConnections {
    private static let milliseconds: UInt32 = 60_000

    private var endCounts: [RoutingID: Int] = [:]
    private var order: Deque<(id: RoutingID, until: Instant)> = []

    /// Records that the broker ended the session of a connection.
    mutating func recordEnd(of id: RoutingID, at now: Instant) {
        while let first = order.first, first.until <= now {
            order.removeFirst()
            endCounts[first.id] = nil
        }
        if endCounts.updateValue((endCounts[id] ?? 0) + 1, forKey: id) == nil {
            order.append((id, now.advanced(byMilliseconds: Self.milliseconds)))
        }
    }

    func contains(_ id: RoutingID) -> Bool {
        (endCounts[id] ?? 0) > 1
    }
}
