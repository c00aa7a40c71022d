// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The numbers of the keys of environment and preferences.
///
/// A number is free for another key once nothing uses it, which is found out when numbers are
/// needed (``sweep(_:_:)``).
struct KeyTable: Sendable {
    private var numbers: [String: UInt32] = [:]
    private(set) var names: [EventName] = []
    /// Those that the bus itself knows.
    private var builtIns: [BuiltInKey?] = []
    /// To whom each key is charged; `nil` for a number that is free.
    private var accounts: [UInt32?] = []
    private var free: [UInt32] = []

    /// For whom keys are numbered now, and what it may have.
    private var account = AccountTable.own
    private var share: Share
    /// Keys that it has been given numbers for and not been charged.
    private var madeCount = 0
    /// Keys that have been given numbers since the last sweep.
    private(set) var newCount = 0

    init(limit: UInt32) {
        share = Share(
            table: .keys, owner: Owner(userID: 0), used: 0, size: Int(limit), limit: limit)
    }

    var count: Int {
        numbers.count
    }

    /// No key has this number, or a higher one.
    var end: Int {
        names.count
    }

    // MARK: - Numbering

    /// Keys that are numbered from now on belong to this account.
    mutating func begin(for account: UInt32, _ share: Share) {
        self.account = account
        self.share = share
    }

    /// How many keys have been numbered since this was asked last, and for whom.
    mutating func takeMade() -> (account: UInt32, count: Int)? {
        guard madeCount > 0 else {
            return nil
        }
        defer { madeCount = 0 }
        return (account, madeCount)
    }

    /// The number of `key`, given to it now if it has none.
    mutating func number(of key: EventName) throws(WireError) -> UInt32 {
        if let number = numbers[key.description] {
            return number
        }
        try share.check(madeCount + 1)
        madeCount += 1
        newCount += 1
        let number: UInt32
        if let found = free.popLast() {
            number = found
            names[Int(number)] = key
            builtIns[Int(number)] = BuiltInKey(key)
            accounts[Int(number)] = account
        } else {
            number = UInt32(names.count)
            names.append(key)
            builtIns.append(BuiltInKey(key))
            accounts.append(account)
        }
        numbers[key.description] = number
        return number
    }

    /// The number of `key` if it has one.
    func existingNumber(of key: EventName) -> UInt32? {
        numbers[key.description]
    }

    /// The number of a name that stands in a rule, which has one since the rule was read.
    func existingNumber(of key: String) -> UInt32? {
        numbers[key]
    }

    /// What the bus itself knows under the key; `nil` for a key that is set and has rules.
    func builtIn(_ number: UInt32) -> BuiltInKey? {
        builtIns[Int(number)]
    }

    subscript(number: UInt32) -> EventName {
        names[Int(number)]
    }

    // MARK: - Sweeping

    /// Frees the numbers of keys that nothing uses. A key that is used by others than the account
    /// that it is charged to is charged to one of those.
    mutating func sweep(_ uses: KeyUses, _ charges: inout AccountTable) {
        newCount = 0
        for place in accounts.indices {
            let number = UInt32(place)
            guard let account = accounts[place] else {
                continue
            }
            guard let users = uses.accounts[number], let heir = users.min() else {
                numbers[names[place].description] = nil
                accounts[place] = nil
                builtIns[place] = nil
                charges.release(1, .keys, from: account)
                free.append(number)
                continue
            }
            if !users.contains(account) {
                accounts[place] = heir
                charges.release(1, .keys, from: account)
                charges.charge(1, .keys, to: heir)
            }
        }
    }
}
