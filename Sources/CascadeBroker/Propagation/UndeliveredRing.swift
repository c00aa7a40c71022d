// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// The events that nobody handled, oldest first. It has bounds: a new one pushes out the oldest.
struct UndeliveredRing: Sendable {
    private(set) var events: Deque<UndeliveredEvent> = []
    /// The key of the first.
    private var firstKey: UInt64 = 0
    private(set) var byteCount = 0
    /// Grows with each change.
    private(set) var version: UInt64 = 0

    /// Returns the key under which its message comes, with ``fill(_:fields:payload:)``.
    mutating func append(_ event: UndeliveredEvent, limit: UInt32) -> UInt64 {
        version += 1
        events.append(event)
        while events.count > limit {
            removeFirst()
        }
        return firstKey + UInt64(events.count) - 1
    }

    /// The message of the event, of which all together may have so many bytes.
    mutating func fill(_ key: UInt64, fields: [UInt8], payload: [UInt8], limit: UInt32) {
        guard key >= firstKey, key - firstKey < UInt64(events.count) else {
            return
        }
        version += 1
        events[Int(key - firstKey)].fields = fields
        events[Int(key - firstKey)].payload = payload
        byteCount += fields.count + payload.count
        while byteCount > limit, !events.isEmpty {
            removeFirst()
        }
    }

    /// The event of this ID, as ``remove(_:)`` takes it out.
    func find(_ id: EventID) -> UndeliveredEvent? {
        place(of: id).map { events[$0] }
    }

    /// The youngest, if it is there several times; but an event of a session that has
    /// proved its ID comes before those of sessions that have not.
    private func place(of id: EventID) -> Int? {
        events.lastIndex { $0.id == id && $0.isProven } ?? events.lastIndex { $0.id == id }
    }

    /// Takes out the event of this ID.
    mutating func remove(_ id: EventID) -> UndeliveredEvent? {
        guard let place = place(of: id) else {
            return nil
        }
        version += 1
        let event = events.remove(at: place)
        byteCount -= event.byteCount
        return event
    }

    mutating func removeAll() {
        version += 1
        firstKey += UInt64(events.count)
        events.removeAll()
        byteCount = 0
    }

    private mutating func removeFirst() {
        byteCount -= events.removeFirst().byteCount
        firstKey += 1
    }
}
