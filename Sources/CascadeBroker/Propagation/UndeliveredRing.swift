// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The events that nobody handled. It has bounds, in which each user has a share: a new one pushes
/// out the oldest of its user, or of a user that exceeds its share.
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

    /// Returns the key under which its message comes, with ``fill(_:fields:payload:)``; `nil` if
    /// the event is not kept.
    mutating func append(
        _ event: UndeliveredEvent, of account: AccountIndex, limit: UInt32,
        _ accounts: inout AccountTable
    ) -> UInt64? {
        version += 1
        guard makeRoom(for: 1, in: .undelivered, of: account, limit, &accounts, keeping: nil)
        else {
            return nil
        }
        let place = ring.append(for: account, event)
        ring[place] = event
        accounts.charge(1, .undelivered, to: account)
        return UInt64(UInt32(truncatingIfNeeded: ring.order(of: place))) << 32 | UInt64(place)
    }

    /// The message of the event, of which all together may have so many bytes.
    mutating func fill(
        _ key: UInt64, fields: [UInt8], payload: [UInt8], limit: UInt32,
        _ accounts: inout AccountTable
    ) {
        let place = UInt32(truncatingIfNeeded: key)
        guard isLive(place, key) else {
            return
        }
        version += 1
        let account = ring.account(of: place)
        let byteCount = fields.count + payload.count
        guard
            makeRoom(
                for: byteCount, in: .undeliveredBytes, of: account, limit, &accounts,
                keeping: place)
        else {
            if isLive(place, key) {
                remove(place, &accounts)
            }
            return
        }
        ring[place].fields = fields
        ring[place].payload = payload
        accounts.charge(byteCount, .undeliveredBytes, to: account)
    }

    private func isLive(_ place: UInt32, _ key: UInt64) -> Bool {
        let order = UInt32(truncatingIfNeeded: key >> 32)
        return ring.contains(place) && UInt32(truncatingIfNeeded: ring.order(of: place)) == order
    }

    /// - Parameter kept: the event that the room is for, if it is among the others already.
    private mutating func makeRoom(
        for amount: Int, in table: SharedTable, of account: AccountIndex, _ limit: UInt32,
        _ accounts: inout AccountTable, keeping kept: UInt32?
    ) -> Bool {
        while true {
            switch accounts.room(for: amount, in: table, of: account, limit: limit) {
            case .free: return true
            case .none: return false
            case .evicting(let other):
                guard let place = ring.oldest(of: other), place != kept else {
                    return false
                }
                remove(place, &accounts)
            }
        }
    }

    /// The event of this ID, as ``remove(_:_:)`` takes it out.
    func find(_ id: EventID) -> UndeliveredEvent? {
        place(of: id).map { ring[$0] }
    }

    /// The youngest, if it is there several times; but an event of a session that has
    /// proved its ID comes before those of sessions that have not.
    private func place(of id: EventID) -> UInt32? {
        let places = ring.places.filter { ring[$0].id == id }
        return places.last { ring[$0].isProven } ?? places.last
    }

    /// Takes out the event of this ID.
    mutating func remove(_ id: EventID, _ accounts: inout AccountTable) -> UndeliveredEvent? {
        guard let place = place(of: id) else {
            return nil
        }
        version += 1
        let event = ring[place]
        remove(place, &accounts)
        return event
    }

    mutating func removeAll(_ accounts: inout AccountTable) {
        version += 1
        for place in ring.places {
            remove(place, &accounts)
        }
    }

    /// Holds to limits that were lowered.
    mutating func shrink(to limits: Limits, _ accounts: inout AccountTable) {
        for (table, limit) in [
            (SharedTable.undelivered, limits.undelivered),
            (.undeliveredBytes, limits.undeliveredBytes),
        ] {
            while let account = accounts.largest(in: table, above: limit),
                let place = ring.oldest(of: account)
            {
                version += 1
                remove(place, &accounts)
            }
        }
    }

    private mutating func remove(_ place: UInt32, _ accounts: inout AccountTable) {
        let account = ring.account(of: place)
        accounts.release(1, .undelivered, from: account)
        accounts.release(ring[place].byteCount, .undeliveredBytes, from: account)
        ring[place].fields = []
        ring[place].payload = []
        ring.remove(place)
    }
}
