// SPDX-License-Identifier: Apache-2.0

/// Entries of several accounts in the order in which they came, from which the oldest of each
/// account can be taken. In the steady state, one more takes the place of one before and allocates
/// nothing.
struct SharedRing<Element: Sendable>: Sendable {
    private static var none: UInt32 { .max }

    private struct Slot: Sendable {
        var element: Element
        var account: AccountIndex
        /// Grows with each entry; 0 for a place without one.
        var order: UInt64
        // Neighbours among the entries of the account.
        var next: UInt32
        var previous: UInt32

        /// Makes it the youngest, behind the last of its account, unless it is that itself. Returns
        /// its neighbours until now.
        mutating func renew(
            _ order: UInt64, behind last: UInt32
        ) -> (next: UInt32, previous: UInt32) {
            let neighbours = (next, previous)
            self.order = order
            if next != none {
                next = none
                previous = last
            }
            return neighbours
        }
    }

    private struct List: Sendable {
        var first = none
        var last = none
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []
    /// By the number of the account.
    private var lists: [List] = []
    private var lastOrder: UInt64 = 0

    var count: Int {
        slots.count - free.count
    }

    var isEmpty: Bool {
        count == 0
    }

    subscript(place: UInt32) -> Element {
        _read { yield slots[Int(place)].element }
        _modify { yield &slots[Int(place)].element }
    }

    /// The account of the entry at a place.
    func account(of place: UInt32) -> AccountIndex {
        slots[Int(place)].account
    }

    /// Adds the youngest entry. Its place contains `blank`, or the remains of a removed entry.
    mutating func append(for account: AccountIndex, _ blank: @autoclosure () -> Element) -> UInt32 {
        while lists.count <= account.slot {
            lists.append(List())
        }
        let place: UInt32
        if let found = free.popLast() {
            place = found
        } else {
            place = UInt32(slots.count)
            slots.append(
                Slot(
                    element: blank(), account: account, order: 0, next: Self.none,
                    previous: Self.none))
        }
        lastOrder += 1
        let previous = lists[account.slot].last
        slots[Int(place)].account = account
        slots[Int(place)].order = lastOrder
        slots[Int(place)].next = Self.none
        slots[Int(place)].previous = previous
        if previous == Self.none {
            lists[account.slot].first = place
        } else {
            slots[Int(previous)].next = place
        }
        lists[account.slot].last = place
        return place
    }

    /// Makes an entry the youngest of its account; its contents stay.
    @inline(__always)
    private mutating func renew(_ place: UInt32) {
        lastOrder += 1
        let account = slots[Int(place)].account.slot
        let last = lists[account].last
        let (next, previous) = slots[Int(place)].renew(lastOrder, behind: last)
        guard next != Self.none else {
            return
        }
        slots[Int(next)].previous = previous
        slots[Int(last)].next = place
        if previous == Self.none {
            lists[account] = List(first: next, last: place)
        } else {
            lists[account].last = place
            slots[Int(previous)].next = next
        }
    }

    /// Removes an entry. Its contents stay in its place until another entry takes it.
    mutating func remove(_ place: UInt32) {
        let slot = (slots[Int(place)].next, slots[Int(place)].previous)
        let account = slots[Int(place)].account.slot
        if slot.1 == Self.none {
            lists[account].first = slot.0
        } else {
            slots[Int(slot.1)].next = slot.0
        }
        if slot.0 == Self.none {
            lists[account].last = slot.1
        } else {
            slots[Int(slot.0)].previous = slot.1
        }
        slots[Int(place)].order = 0
        free.append(place)
    }

    /// The place of the account's oldest entry.
    func oldest(of account: AccountIndex) -> UInt32? {
        guard account.slot < lists.count, lists[account.slot].first != Self.none else {
            return nil
        }
        return lists[account.slot].first
    }

    /// The places of all entries, the oldest first.
    var places: [UInt32] {
        slots.indices.filter { slots[$0].order > 0 }
            .sorted { slots[$0].order < slots[$1].order }.map { UInt32($0) }
    }

    /// All entries, the oldest first.
    var elements: [Element] {
        places.map { slots[Int($0)].element }
    }

    /// Returns the order of an entry, which distinguishes it from later ones at its place.
    func order(of place: UInt32) -> UInt64 {
        slots[Int(place)].order
    }

    /// Whether there is an entry at this place.
    func contains(_ place: UInt32) -> Bool {
        Int(place) < slots.count && slots[Int(place)].order > 0
    }

    // MARK: - Shares

    /// Adds the youngest entry, charged to its account, once there is room for it; otherwise
    /// returns `nil`. Its place contains `blank`, or the remains of a removed entry.
    mutating func append(
        for account: AccountIndex, in table: SharedTable, limit: UInt32,
        _ accounts: inout AccountTable, _ blank: @autoclosure () -> Element
    ) -> UInt32? {
        // In a full table, an account's newcomer mostly takes the place of its oldest entry, and the
        // account has as many as before.
        if accounts.isFull(table, of: account, limit: limit), let place = oldest(of: account) {
            renew(place)
            return place
        }
        if case .evicting(account) = accounts.room(for: 1, in: table, of: account, limit: limit),
            accounts.used(table) <= Int(limit), let place = oldest(of: account)
        {
            renew(place)
            return place
        }
        guard makeRoom(for: account, in: table, limit: limit, &accounts) else {
            return nil
        }
        accounts.charge(1, table, to: account)
        return append(for: account, blank())
    }

    /// Removes entries until there is room for one of an account. Returns whether there is room.
    private mutating func makeRoom(
        for account: AccountIndex, in table: SharedTable, limit: UInt32,
        _ accounts: inout AccountTable
    ) -> Bool {
        while true {
            switch accounts.room(for: 1, in: table, of: account, limit: limit) {
            case .free: return true
            case .none: return false
            case .evicting(let other):
                guard let place = oldest(of: other) else {
                    return false
                }
                remove(place)
                accounts.release(1, table, from: other)
            }
        }
    }

    /// Removes the oldest entries of the accounts that have most, until a lowered limit holds.
    mutating func shrink(
        to limit: UInt32, _ table: SharedTable, _ accounts: inout AccountTable
    ) {
        while let account = accounts.largest(in: table, above: limit),
            let place = oldest(of: account)
        {
            remove(place)
            accounts.release(1, table, from: account)
        }
        if isEmpty {
            self = SharedRing()
        }
    }

    /// Releases the memory of removed entries. The places of entries change.
    mutating func compact() {
        var compacted = SharedRing()
        for place in places {
            let copy = compacted.append(for: account(of: place), self[place])
            compacted[copy] = self[place]
        }
        self = compacted
    }
}
