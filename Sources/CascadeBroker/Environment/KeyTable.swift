// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The numbers of the keys of environment and preferences.
///
/// A number is free for another key once nothing uses it, which is found out when numbers are
/// needed (``sweep(_:_:)``).
struct KeyTable: Sendable {
    private var numbers: [String: KeyIndex] = [:]
    private(set) var names: [EventName] = []
    /// Those that the bus itself knows.
    private var builtIns: [BuiltInKey?] = []
    /// The account charged for each key; `nil` for a free number.
    private var accounts: [AccountIndex?] = []
    private var free: [KeyIndex] = []

    /// The account for which keys are numbered now, and its limit.
    private var account = AccountTable.own
    private var share: Share
    /// The number of keys that the account has received and not been charged for.
    private(set) var madeCount = 0
    /// The number of keys numbered since the last sweep.
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
    mutating func begin(for account: AccountIndex, _ share: Share) {
        self.account = account
        self.share = share
    }

    /// Returns the account and the number of keys numbered for it since the last call.
    mutating func takeMade() -> (account: AccountIndex, count: Int)? {
        guard madeCount > 0 else {
            return nil
        }
        defer { madeCount = 0 }
        return (account, madeCount)
    }

    /// Returns the number of `key`; a new key is numbered.
    mutating func number(of key: EventName) throws(WireError) -> KeyIndex {
        if let number = numbers[key.description] {
            return number
        }
        try share.check(madeCount + 1)
        madeCount += 1
        newCount += 1
        let number: KeyIndex
        if let found = free.popLast() {
            number = found
            names[number.slot] = key
            builtIns[number.slot] = BuiltInKey(key)
            accounts[number.slot] = account
        } else {
            number = KeyIndex(UInt32(names.count))
            names.append(key)
            builtIns.append(BuiltInKey(key))
            accounts.append(account)
        }
        numbers[key.description] = number
        return number
    }

    /// The number of `key` if it has one.
    func existingNumber(of key: EventName) -> KeyIndex? {
        numbers[key.description]
    }

    /// The number of a name that stands in a rule, which has one since the rule was read.
    func existingNumber(of key: String) -> KeyIndex? {
        numbers[key]
    }

    /// Returns the built-in key with this number; `nil` for a key with assigned values and rules.
    func builtIn(_ number: KeyIndex) -> BuiltInKey? {
        builtIns[number.slot]
    }

    subscript(number: KeyIndex) -> EventName {
        names[number.slot]
    }

    // MARK: - Sweeping

    /// Frees the numbers of keys that nothing uses. A key that is used by others than the account
    /// that it is charged to is charged to one of those.
    mutating func sweep(_ uses: KeyUses, _ charges: inout AccountTable) {
        newCount = 0
        for place in accounts.indices {
            let number = KeyIndex(UInt32(place))
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
