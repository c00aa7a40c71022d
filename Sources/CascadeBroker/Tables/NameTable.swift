// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The numbers of names, which are compared in place of texts.
///
/// A number is free for another name once it is unused: no connection knows it, no declaration
/// contains it, and no event under way or stored has it. Connections and declarations are counted;
/// events, which are far more numerous, are examined when numbers are needed (``sweep(_:)``).
struct NameTable: Sendable {
    private struct Use: Sendable {
        var account: AccountIndex
        var count: UInt32
    }

    private struct Record: Sendable {
        var name: EventName
        var isReserved: Bool
        /// Whether the number stands for the name, and not for nothing.
        var isLive = true
        /// The account to which the name is charged: one that declares it, or the last that did.
        var account: AccountIndex
        /// The number of connections that know the number.
        var knowingCount: UInt32 = 0
        /// How many times each account declares the name.
        var uses: [Use] = []

        var isUsed: Bool {
            knowingCount > 0 || !uses.isEmpty
        }
    }

    private var numbers: [EventName: NameIndex] = [:]
    private var records: [Record] = []
    private var free: [NameIndex] = []
    private var sweeps = SweepSchedule()
    /// The number of names added since the last sweep.
    private(set) var newCount = 0

    /// How many names have numbers.
    var count: Int {
        numbers.count
    }

    /// No name has this number, or a higher one.
    var end: Int {
        records.count + 1
    }

    // MARK: - Sweeping

    /// - Parameter isFull: whether there is no room for more names otherwise.
    func isSweepDue(isFull: Bool, at now: Instant) -> Bool {
        sweeps.isDue(newCount: newCount, isFull: isFull, at: now)
    }

    /// - Parameter cost: how many records were looked at.
    mutating func recordSweep(of cost: Int, at now: Instant) {
        sweeps.recordSweep(of: cost, at: now)
    }

    // MARK: - Numbers

    /// Returns the number of `name`; a new name is numbered and charged.
    mutating func number(
        of name: EventName, for account: AccountIndex, _ accounts: inout AccountTable
    ) -> NameIndex {
        if let number = numbers[name] {
            return number
        }
        let record = Record(name: name, isReserved: name.isReserved, account: account)
        let number: NameIndex
        if let found = free.popLast() {
            number = found
            records[number.slot - 1] = record
        } else {
            records.append(record)
            number = NameIndex(UInt32(records.count))
        }
        numbers[name] = number
        newCount += 1
        accounts.charge(1, .names, to: account)
        return number
    }

    /// The number of `name` if it has one.
    func existingNumber(of name: EventName) -> NameIndex? {
        numbers[name]
    }

    /// Whether the name is reserved for messages of the bus itself.
    func isReserved(_ number: NameIndex) -> Bool {
        records[number.slot - 1].isReserved
    }

    /// `nil` if no name has this number.
    func name(_ number: NameIndex) -> EventName? {
        contains(number) ? records[number.slot - 1].name : nil
    }

    private func contains(_ number: NameIndex) -> Bool {
        number.slot >= 1 && number.slot <= records.count && records[number.slot - 1].isLive
    }

    /// The number of the name in a header, if it has one and is not reserved: that of most messages.
    @inline(__always)
    func unreserved(_ wireNumber: UInt32) -> NameIndex? {
        let number = NameIndex(wireNumber)
        guard number != NameIndex.none, contains(number), !records[number.slot - 1].isReserved
        else {
            return nil
        }
        return number
    }

    /// The number of the name that something is raised under; ``none`` where it has only a text.
    ///
    /// - Parameter isAllowed: whether a reserved name may be raised.
    func raised(
        _ wireNumber: UInt32, _ words: MessageFields?, isAllowed: (EventName) -> Bool
    ) throws(WireError) -> NameIndex {
        let number = NameIndex(wireNumber)
        guard number == NameIndex.none || contains(number) else {
            throw WireError("the name \(number.number) was never defined")
        }
        guard let name = name(number) ?? words?.text else {
            throw WireError(.badName, "an event has no name")
        }
        guard !name.isReserved || isAllowed(name) else {
            throw WireError.reserved(name)
        }
        return number == NameIndex.none ? existingNumber(of: name) ?? NameIndex.none : number
    }

    // MARK: - Uses

    /// Returns whether the name would be charged to the account on its declaration: the name is
    /// new, or no account declares it any longer.
    func isChargeable(_ name: EventName, to account: AccountIndex) -> Bool {
        guard let number = numbers[name] else {
            return true
        }
        let record = records[number.slot - 1]
        return record.uses.isEmpty && record.account != account
    }

    /// An account declares the name once more.
    mutating func declare(
        _ number: NameIndex, by account: AccountIndex, _ accounts: inout AccountTable
    ) {
        let place = number.slot - 1
        if let use = records[place].uses.firstIndex(where: { $0.account == account }) {
            records[place].uses[use].count += 1
            return
        }
        if records[place].uses.isEmpty {
            charge(place, to: account, &accounts)
        }
        records[place].uses.append(Use(account: account, count: 1))
    }

    /// An account declares the name once less. If others do, one of them is charged from now on.
    mutating func withdraw(
        _ number: NameIndex, by account: AccountIndex, _ accounts: inout AccountTable
    ) {
        let place = number.slot - 1
        guard let use = records[place].uses.firstIndex(where: { $0.account == account }) else {
            return
        }
        records[place].uses[use].count -= 1
        guard records[place].uses[use].count == 0 else {
            return
        }
        records[place].uses.remove(at: use)
        if let other = records[place].uses.first, records[place].account == account {
            charge(place, to: other.account, &accounts)
        }
    }

    private mutating func charge(
        _ place: Int, to account: AccountIndex, _ accounts: inout AccountTable
    ) {
        accounts.release(1, .names, from: records[place].account)
        accounts.charge(1, .names, to: account)
        records[place].account = account
    }

    /// Counts a connection that now knows the number and may use it as long as it lasts.
    mutating func markDefined(_ number: NameIndex) {
        records[number.slot - 1].knowingCount += 1
    }

    /// Discounts a connection that knew the number and is gone.
    mutating func markForgotten(_ number: NameIndex) {
        records[number.slot - 1].knowingCount -= 1
    }

    // MARK: - Sweeping

    /// Frees the numbers that nothing uses, except those in `used`.
    mutating func sweep(keeping used: SlotSet<NameIndex>, _ accounts: inout AccountTable) {
        newCount = 0
        for place in records.indices where records[place].isLive && !records[place].isUsed {
            let number = NameIndex(UInt32(place) + 1)
            guard !used.contains(number) else {
                continue
            }
            records[place].isLive = false
            numbers[records[place].name] = nil
            accounts.release(1, .names, from: records[place].account)
            free.append(number)
        }
    }
}

extension WireError {
    fileprivate static func reserved(_ name: EventName) -> WireError {
        WireError(
            .reservedName,
            "the name '\(name)' is the bus's own: those that begin with 'cascade.' are reserved")
    }
}
