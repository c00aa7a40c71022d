// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The undelivered events, within limits in which each user has a share: a new event pushes out the
/// oldest of its user, or of a user that exceeds its share.
struct UndeliveredRing: Sendable {
    private var ring = SharedRing<UndeliveredEvent>()
    /// Grows with each change.
    private(set) var version: UInt64 = 0

    var count: Int {
        ring.count
    }

    /// The events, the oldest first.
    var events: [UndeliveredEvent] {
        ring.elements
    }

    /// Keeps the event if its user's share has room for it. Returns whether it does, and those that it pushed
    /// out.
    @discardableResult
    mutating func append(
        _ event: UndeliveredEvent, of account: AccountIndex, _ limits: Limits,
        _ accounts: inout AccountTable
    ) -> (isKept: Bool, forgotten: [UndeliveredEvent]) {
        version += 1
        var forgotten: [UndeliveredEvent] = []
        guard
            makeRoom(
                for: 1, in: .undelivered, of: account, limits.undelivered, &accounts, &forgotten),
            makeRoom(
                for: event.byteCount, in: .undeliveredBytes, of: account, limits.undeliveredBytes,
                &accounts, &forgotten)
        else {
            return (false, forgotten)
        }
        ring.append(event, for: account)
        accounts.charge(1, .undelivered, to: account)
        accounts.charge(event.byteCount, .undeliveredBytes, to: account)
        return (true, forgotten)
    }

    private mutating func makeRoom(
        for amount: Int, in table: SharedTable, of account: AccountIndex, _ limit: UInt32,
        _ accounts: inout AccountTable, _ forgotten: inout [UndeliveredEvent]
    ) -> Bool {
        while true {
            switch accounts.room(for: amount, in: table, of: account, limit: limit) {
            case .free: return true
            case .none: return false
            case .evicting(let other):
                guard let place = ring.oldest(of: other) else {
                    return false
                }
                forgotten.append(remove(place, &accounts))
            }
        }
    }

    /// The event of this ID, as ``remove(_:_:)`` takes it out.
    func find(_ id: EventID) -> UndeliveredEvent? {
        place(of: id).map { ring[$0] }
    }

    /// The youngest, if it is there several times; but an event of a session that has
    /// proved its ID comes before those of sessions that have not.
    private func place(of id: EventID) -> SharedRing<UndeliveredEvent>.Place? {
        let places = ring.places.filter { ring[$0].id == id }
        return places.last { ring[$0].isProven } ?? places.last
    }

    /// Takes out the event of this ID.
    mutating func remove(_ id: EventID, _ accounts: inout AccountTable) -> UndeliveredEvent? {
        guard let place = place(of: id) else {
            return nil
        }
        version += 1
        return remove(place, &accounts)
    }

    mutating func removeAll(_ accounts: inout AccountTable) {
        version += 1
        for place in ring.places {
            _ = remove(place, &accounts)
        }
    }

    /// Holds to limits that were lowered. Returns the events that are kept no longer.
    mutating func shrink(
        to limits: Limits, _ accounts: inout AccountTable
    ) -> [UndeliveredEvent] {
        var forgotten: [UndeliveredEvent] = []
        for (table, limit) in [
            (SharedTable.undelivered, limits.undelivered),
            (.undeliveredBytes, limits.undeliveredBytes),
        ] {
            while let account = accounts.largest(in: table, above: limit),
                let place = ring.oldest(of: account)
            {
                version += 1
                forgotten.append(remove(place, &accounts))
            }
        }
        return forgotten
    }

    private mutating func remove(
        _ place: SharedRing<UndeliveredEvent>.Place, _ accounts: inout AccountTable
    ) -> UndeliveredEvent {
        let event = ring[place]
        let account = ring.account(of: place)
        accounts.release(1, .undelivered, from: account)
        accounts.release(ring[place].byteCount, .undeliveredBytes, from: account)
        ring[place].fields = []
        ring[place].payload = []
        ring.remove(place)
        return event
    }
}

/// An undelivered event, stored whole: it no longer needs its message.
struct UndeliveredEvent: Equatable, Sendable {
    var id: EventID
    /// Whether its session has proved its ID by a secret.
    var isProven = false
    var name: EventName
    var lane: Lane
    /// Its origin, and where it would start again.
    var origin: NodePath
    var start: NodePath
    var startCursor: UInt16
    var causes: UInt16
    var milliseconds: UInt32
    var endedAt: Instant
    var reason: OutcomeCode
    /// Whether sessions ended with it, so that it was quarantined.
    var isQuarantined: Bool
    /// The user who triggered it; `nil` if unknown.
    var owner: Owner?
    /// The nodes that have replaced the original payload.
    var transformers: [NodePath] = []
    var fields: [UInt8] = []
    var payload: [UInt8] = []

    var byteCount: Int {
        fields.count + payload.count
    }
}
