// SPDX-License-Identifier: Apache-2.0

/// How much of a shared table an account may have, and whose entry leaves a full one.
extension AccountTable {
    func share(of account: AccountIndex, in table: SharedTable, limit: UInt32) -> Share {
        let used = used(table, by: account)
        return Share(
            table: table, owner: accounts[account.slot].owner, used: used,
            size: shareSize(of: account, having: used, of: self.used(table), limit: limit),
            limit: limit)
    }

    /// Returns how much of `limit` an account may have where its own use is `own` and that of all
    /// accounts is `used`.
    func shareSize(of account: AccountIndex, having own: Int, of used: Int, limit: UInt32) -> Int {
        let open = max(0, Int(limit) - used + own)
        // Rounded up, so that the smallest limit is usable. The bus's own use is the
        // administrator's.
        let parts = isShared && account != Self.own ? max(1, presentCount) + 1 : 1
        return (open + parts - 1) / parts
    }

    /// How to find room for an entry.
    enum Room {
        case free
        /// The oldest entry of this account has to be removed; then there may be room.
        case evicting(AccountIndex)
        /// There will be no room.
        case none
    }

    /// Whether a table is full, and all its entries are the account's.
    @inline(__always)
    func isFull(_ table: SharedTable, of account: AccountIndex, limit: UInt32) -> Bool {
        used(table) == Int(limit) && used(table, by: account) == Int(limit)
    }

    /// Whether an account has room for so many entries or bytes more.
    func room(
        for amount: Int, in table: SharedTable, of account: AccountIndex, limit: UInt32
    ) -> Room {
        guard amount > 0 else {
            return .free
        }
        guard amount <= Int(limit) else {
            return .none
        }
        let own = used(table, by: account)
        if table.whenFull == .evictsMost {
            guard used(table) + amount > Int(limit) else {
                return .free
            }
            return evicted(from: table, for: account, amount, limit).map { .evicting($0) } ?? .none
        }
        if share(of: account, in: table, limit: limit).hasRoom(for: amount) {
            return .free
        }
        return table.whenFull == .evictsOwn && own > 0 ? .evicting(account) : .none
    }

    /// Returns the account whose oldest entry leaves a full table for an entry of `account`.
    private func evicted(
        from table: SharedTable, for account: AccountIndex, _ amount: Int, _ limit: UInt32
    ) -> AccountIndex? {
        let own = used(table, by: account)
        guard own < used(table) else {
            return own > 0 ? account : nil
        }
        let isOwnThere = used(table, by: Self.own) > 0
        let equal = Int(limit) / max(1, presentCount + (isOwnThere ? 1 : 0))
        if own > 0, own + amount > equal {
            return account
        }
        // A user that is no longer present has no share.
        var found = account
        var most = 0
        for slot in accounts.indices where slot != account.slot {
            let number = AccountIndex(UInt32(slot))
            let isThere = number == Self.own || isPresent(number)
            let excess = used(table, by: number) - (isThere ? equal : 0)
            if excess > most {
                (found, most) = (number, excess)
            }
        }
        return found != account || own > 0 ? found : nil
    }

    /// The account that has most of a table that holds more than its limit allows; `nil` for a
    /// table within its limit.
    func largest(in table: SharedTable, above limit: UInt32) -> AccountIndex? {
        guard used(table) > Int(limit) else {
            return nil
        }
        let numbers = accounts.indices.map { AccountIndex(UInt32($0)) }
        return numbers.max { used(table, by: $0) < used(table, by: $1) }
    }
}
