// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// The places and sessions of another bus for which a session has raised messages. They keep their
/// numbers for its next messages, so that peers learn a number once.
///
/// Each entry pins its record. The oldest goes first; one that an event still needs stays as long as that
/// does.
struct ForeignOrigins: Sendable {
    /// How many places, and how many sessions, keep their numbers.
    static let countMax = 256

    private var places = RecentEntries<NodePath, NodeIndex>()
    private var sessions = RecentEntries<SessionID, SessionIndex>()

    func place(_ path: NodePath) -> NodeIndex? {
        places[path]
    }

    func session(_ id: SessionID) -> SessionIndex? {
        sessions[id]
    }

    /// Adds a place. Returns the one that is to be unpinned for it, if any.
    mutating func insert(_ place: NodeIndex, _ path: NodePath) -> NodeIndex? {
        places.insert(place, path, countMax: Self.countMax)
    }

    /// Adds a session. Returns the one that is to be unpinned for it, if any.
    mutating func insert(_ session: SessionIndex, _ id: SessionID) -> SessionIndex? {
        sessions.insert(session, id, countMax: Self.countMax)
    }

    /// Removes and returns all places, which are to be unpinned.
    mutating func takePlaces() -> [NodeIndex] {
        places.takeAll()
    }

    /// Removes and returns all sessions, which are to be unpinned.
    mutating func takeSessions() -> [SessionIndex] {
        sessions.takeAll()
    }
}

/// Entries under keys, in the order in which they were added.
private struct RecentEntries<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var values: [Key: Value] = [:]
    private var order: Deque<Key> = []

    subscript(key: Key) -> Value? {
        values[key]
    }

    /// Adds an entry under a key that has none. Returns the oldest, if there are too many now.
    mutating func insert(_ value: Value, _ key: Key, countMax: Int) -> Value? {
        values[key] = value
        order.append(key)
        guard order.count > countMax else {
            return nil
        }
        return values.removeValue(forKey: order.removeFirst())
    }

    mutating func takeAll() -> [Value] {
        guard !order.isEmpty else {
            return []
        }
        let all = order.compactMap { values[$0] }
        values = [:]
        order = []
        return all
    }
}
