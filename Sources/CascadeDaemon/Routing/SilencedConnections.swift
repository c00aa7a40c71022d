// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import DequeModule

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
