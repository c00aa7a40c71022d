// SPDX-License-Identifier: Apache-2.0

/// Entries of several accounts in the order in which they came, from which the oldest of each
/// account can be taken. In the steady state, one more takes the place of one before and allocates
/// nothing.
struct SharedRing<Element: Sendable>: Sendable {
    /// The place of an entry in this ring. Places of rings with other elements are other types.
    struct Place: Hashable, Sendable {
        private let number: UInt32

        /// Stands for no entry.
        fileprivate static var none: Self {
            Self(slot: Int(UInt32.max))
        }

        fileprivate init(slot: Int) {
            number = UInt32(slot)
        }

        fileprivate var slot: Int {
            Int(number)
        }
    }

    private struct Slot: Sendable {
        var element: Element
        var account: AccountIndex
        /// Grows with each entry; 0 for a place without one.
        var order: UInt64 = 0
        // Neighbours among the entries of the account.
        var next = Place.none
        var previous = Place.none

        /// Makes it the youngest, behind the last of its account, unless it is that itself. Returns
        /// its neighbours until now.
        mutating func renew(
            _ order: UInt64, behind last: Place
        ) -> (next: Place, previous: Place) {
            let neighbours = (next, previous)
            self.order = order
            if next != Place.none {
                next = Place.none
                previous = last
            }
            return neighbours
        }
    }

    private struct List: Sendable {
        var first = Place.none
        var last = Place.none
    }

    private var slots: [Slot] = []
    private var free: [Place] = []
    /// By the number of the account.
    private var lists: [List] = []
    private var lastOrder: UInt64 = 0

    var count: Int {
        slots.count - free.count
    }

    var isEmpty: Bool {
        count == 0
    }

    subscript(place: Place) -> Element {
        _read { yield slots[place.slot].element }
        _modify { yield &slots[place.slot].element }
    }

    /// The account of the entry at a place.
    func account(of place: Place) -> AccountIndex {
        slots[place.slot].account
    }

    /// Adds the youngest entry. Its place contains `blank`, or the remains of a removed entry.
    private mutating func takePlace(
        for account: AccountIndex, _ blank: @autoclosure () -> Element
    ) -> Place {
        while lists.count <= account.slot {
            lists.append(List())
        }
        let place: Place
        if let found = free.popLast() {
            place = found
        } else {
            place = Place(slot: slots.count)
            slots.append(Slot(element: blank(), account: account))
        }
        lastOrder += 1
        let previous = lists[account.slot].last
        slots[place.slot].account = account
        slots[place.slot].order = lastOrder
        slots[place.slot].next = Place.none
        slots[place.slot].previous = previous
        if previous == Place.none {
            lists[account.slot].first = place
        } else {
            slots[previous.slot].next = place
        }
        lists[account.slot].last = place
        return place
    }

    /// Makes an entry the youngest of its account; its contents stay.
    @inline(__always)
    private mutating func renew(_ place: Place) {
        lastOrder += 1
        let account = slots[place.slot].account.slot
        let last = lists[account].last
        let (next, previous) = slots[place.slot].renew(lastOrder, behind: last)
        guard next != Place.none else {
            return
        }
        slots[next.slot].previous = previous
        slots[last.slot].next = place
        if previous == Place.none {
            lists[account] = List(first: next, last: place)
        } else {
            lists[account].last = place
            slots[previous.slot].next = next
        }
    }

    /// Removes an entry. Its contents stay in its place until another entry takes it.
    mutating func remove(_ place: Place) {
        let (next, previous) = (slots[place.slot].next, slots[place.slot].previous)
        let account = slots[place.slot].account.slot
        if previous == Place.none {
            lists[account].first = next
        } else {
            slots[previous.slot].next = next
        }
        if next == Place.none {
            lists[account].last = previous
        } else {
            slots[next.slot].previous = previous
        }
        slots[place.slot].order = 0
        free.append(place)
    }

    /// The place of the account's oldest entry.
    func oldest(of account: AccountIndex) -> Place? {
        guard account.slot < lists.count, lists[account.slot].first != Place.none else {
            return nil
        }
        return lists[account.slot].first
    }

    /// The places of all entries, the oldest first.
    var places: [Place] {
        slots.indices.filter { slots[$0].order > 0 }
            .sorted { slots[$0].order < slots[$1].order }.map { Place(slot: $0) }
    }

    /// All entries, the oldest first.
    var elements: [Element] {
        places.map { slots[$0.slot].element }
    }

    /// Returns the order of an entry, which distinguishes it from later ones at its place.
    func order(of place: Place) -> UInt64 {
        slots[place.slot].order
    }

    /// Whether there is an entry at this place.
    func contains(_ place: Place) -> Bool {
        place.slot < slots.count && slots[place.slot].order > 0
    }

    // MARK: - Shares

    /// Adds the youngest entry, charged to its account, once there is room for it; otherwise
    /// returns `nil`. Its place contains `blank`, or the remains of a removed entry.
    mutating func append(
        for account: AccountIndex, in table: SharedTable, limit: UInt32,
        _ accounts: inout AccountTable, _ blank: @autoclosure () -> Element
    ) -> Place? {
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
        return takePlace(for: account, blank())
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

    /// Adds this entry as the youngest.
    @discardableResult
    mutating func append(_ element: Element, for account: AccountIndex) -> Place {
        let place = takePlace(for: account, element)
        self[place] = element
        return place
    }

    /// Releases the memory of removed entries. The places of entries change.
    mutating func compact() {
        var compacted = SharedRing()
        for place in places {
            compacted.append(self[place], for: account(of: place))
        }
        self = compacted
    }
}
