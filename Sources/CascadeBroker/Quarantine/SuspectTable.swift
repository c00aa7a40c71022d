// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// The events that sessions died with, and which sessions those were.
///
/// It has a bound: the event that a session died with longest ago is forgotten first.
struct SuspectTable: Sendable {
    private var victims: [EventKey: [SessionID]] = [:]
    private var order: Deque<EventKey> = []

    var isEmpty: Bool {
        victims.isEmpty
    }

    /// A session died while it worked on the event. A session that comes back, and dies once more,
    /// counts once: its connection may have broken, and nothing else.
    mutating func note(_ event: EventKey, _ session: SessionID, limit: UInt32) {
        guard victims[event]?.contains(session) != true else {
            return
        }
        if victims[event] == nil {
            order.append(event)
            if order.count > Int(limit), let oldest = order.popFirst() {
                victims[oldest] = nil
            }
        }
        victims[event, default: []].append(session)
    }

    /// How many sessions died with the event.
    func count(_ event: EventKey) -> Int {
        victims[event]?.count ?? 0
    }
}
