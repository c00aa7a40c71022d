// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The use of the bus by one user, or by the holder of one key. Only ``AccountTable`` changes the
/// counts.
struct Account: Sendable {
    let owner: Owner
    fileprivate(set) var sessionCount = 0
    fileprivate(set) var nodeCount = 0
    /// Bytes of messages kept for its sessions: under way, held, retained, or as replies that may
    /// be requested again.
    fileprivate(set) var messageByteCount = 0
    /// Bytes of its nodes' declarations: predicates, rules, preferences, names and watches.
    fileprivate(set) var declaredByteCount = 0
    /// The rate of events that the bus raises because of its sessions' requests.
    fileprivate var faultLimit = FaultRateLimit()
    /// Its sessions, and its entries in the tables that count for that.
    fileprivate var presence = 0
}

/// The accounts of all users that have ever connected, and each account's use of the shared tables.
/// The first account is the bus's own.
///
/// The free part of a table is divided by the users present and one more, as in dbus-broker and
/// bus1; a user may have one such part of the free entries and its own. A user who connects later
/// therefore finds room, and a user alone may have half. Where only one user can reach the bus,
/// that user may have all.
struct AccountTable: Sendable {
    /// The number of the bus's own account.
    static let own = AccountIndex(0)

    /// Whether several users can reach the bus.
    private(set) var isShared = false
    private var numbers: [Owner: AccountIndex] = [:]
    private(set) var accounts = [Account(owner: Owner(userID: 0))]
    /// How many users have a session, or an entry in a table.
    private(set) var presentCount = 0

    private static let tableCount = SharedTable.allCases.count
    /// The use of each table by each account; the entries of one account are adjacent.
    private var uses = [Int](repeating: 0, count: tableCount)
    private var totals = [Int](repeating: 0, count: tableCount)
    /// By the slots of the nodes.
    private var declared: [Declared] = []

    /// The number of the owner's account.
    mutating func number(of owner: Owner) -> AccountIndex {
        if let number = numbers[owner] {
            return number
        }
        let number = AccountIndex(UInt32(accounts.count))
        accounts.append(Account(owner: owner))
        uses.append(contentsOf: repeatElement(0, count: Self.tableCount))
        numbers[owner] = number
        return number
    }

    subscript(number: AccountIndex) -> Account {
        _read { yield accounts[number.slot] }
    }

    /// Several users can reach the bus.
    mutating func share() {
        isShared = true
    }

    /// Returns how many errors were left out since the last one that was raised because of the
    /// account; `nil` if this one is left out too.
    mutating func admitFault(
        _ name: EventName, at node: NodeIndex, of account: AccountIndex, _ now: Instant
    ) -> Int? {
        accounts[account.slot].faultLimit.admit(name, at: node, now)
    }

    // MARK: - Messages and nodes

    mutating func chargeMessage(_ byteCount: Int, to account: AccountIndex) {
        accounts[account.slot].messageByteCount += byteCount
    }

    mutating func releaseMessage(_ byteCount: Int, from account: AccountIndex) {
        accounts[account.slot].messageByteCount -= byteCount
    }

    mutating func gainNode(_ account: AccountIndex) {
        accounts[account.slot].nodeCount += 1
    }

    mutating func loseNode(_ account: AccountIndex) {
        accounts[account.slot].nodeCount -= 1
    }

    // MARK: - Bytes

    /// Throws if the account may not have so many bytes more.
    ///
    /// - Parameter others: bytes of the values that it has set.
    @inline(__always)
    func checkBytes(
        _ count: Int, of account: AccountIndex, beside others: Int, limit: UInt32
    ) throws(WireError) {
        guard count > 0 else {
            return
        }
        let kept = byteCount(of: account) + others
        guard kept + count <= Int(limit) else {
            throw tooMany(count, of: account, beside: kept, limit: limit)
        }
    }

    @inline(never)
    private func tooMany(
        _ count: Int, of account: AccountIndex, beside kept: Int, limit: UInt32
    ) -> WireError {
        WireError(
            .limitReached,
            "\(kept) bytes are kept for \(self[account].owner), and \(count) more "
                + "would be more than \(limit) (limit bytesPerUser)")
    }

    /// Returns the bytes charged to an account, without the values that it has set.
    @inline(__always)
    func byteCount(of account: AccountIndex) -> Int {
        self[account].messageByteCount + self[account].declaredByteCount
            + NodeRecord.placeByteCount * used(.nodes, by: account)
    }

    // MARK: - Presence

    mutating func beginSession(of account: AccountIndex) {
        accounts[account.slot].sessionCount += 1
        changePresence(of: account, by: 1)
    }

    mutating func endSession(of account: AccountIndex) {
        accounts[account.slot].sessionCount -= 1
        changePresence(of: account, by: -1)
    }

    private mutating func changePresence(of account: AccountIndex, by amount: Int) {
        let wasPresent = isPresent(account)
        accounts[account.slot].presence += amount
        if account != Self.own, wasPresent != isPresent(account) {
            presentCount += wasPresent ? -1 : 1
        }
    }

    func isPresent(_ account: AccountIndex) -> Bool {
        accounts[account.slot].presence > 0
    }

    // MARK: - Charges

    /// Returns the use of a table by all accounts.
    func used(_ table: SharedTable) -> Int {
        totals[table.rawValue]
    }

    func used(_ table: SharedTable, by account: AccountIndex) -> Int {
        uses[account.slot * Self.tableCount + table.rawValue]
    }

    /// Charges entries, or bytes, for which room has been found before, to a user.
    mutating func charge(_ amount: Int, _ table: SharedTable, to account: AccountIndex) {
        guard amount != 0 else {
            return
        }
        uses[account.slot * Self.tableCount + table.rawValue] += amount
        totals[table.rawValue] += amount
        if table.countsAsPresence {
            changePresence(of: account, by: amount)
        }
    }

    mutating func release(_ amount: Int, _ table: SharedTable, from account: AccountIndex) {
        charge(-amount, table, to: account)
    }

    // MARK: - Declarations

    func declared(at node: NodeIndex) -> Declared {
        node.slot < declared.count ? declared[node.slot] : Declared()
    }

    private mutating func setDeclared(at node: NodeIndex, _ new: Declared) {
        while declared.count <= node.slot {
            declared.append(Declared())
        }
        declared[node.slot] = new
    }

    /// Replaces what is given of the node's declaration; the rest stays.
    mutating func declare(
        at node: NodeIndex, pathByteCount: Int? = nil, responderByteCount: Int? = nil,
        declarationCount: Int? = nil
    ) {
        var new = declared(at: node)
        new.pathByteCount = pathByteCount ?? new.pathByteCount
        new.responderByteCount = responderByteCount ?? new.responderByteCount
        new.declarationCount = declarationCount ?? new.declarationCount
        setDeclared(at: node, new)
    }

    mutating func chargeDeclared(_ byteCount: Int, to account: AccountIndex) {
        accounts[account.slot].declaredByteCount += byteCount
    }

    /// Charges a node's declaration, replacing the charge for its previous one.
    mutating func charge(
        declaredAt node: NodeIndex, _ environmentByteCount: Int, to account: AccountIndex
    ) {
        var new = declared(at: node)
        let byteCount = new.pathByteCount + new.responderByteCount + environmentByteCount
        accounts[account.slot].declaredByteCount += byteCount - new.chargedByteCount
        new.chargedByteCount = byteCount
        setDeclared(at: node, new)
    }

    /// Discharges a node's declaration.
    mutating func discharge(declaredAt node: NodeIndex, from account: AccountIndex) -> Declared {
        let removed = declared(at: node)
        setDeclared(at: node, Declared())
        accounts[account.slot].declaredByteCount -= removed.chargedByteCount
        return removed
    }

    /// The charges for a node's declaration: bytes of its user, and elements of its session.
    struct Declared: Sendable {
        private var storedPathByteCount: UInt32 = 0
        private var storedResponderByteCount: UInt32 = 0
        private var storedDeclarationCount: UInt32 = 0
        /// Bytes charged for the whole declaration.
        fileprivate var chargedByteCount = 0

        /// For its path, which may be long although the places above it are charged by themselves.
        fileprivate(set) var pathByteCount: Int {
            get { Int(storedPathByteCount) }
            set { storedPathByteCount = UInt32(clamping: newValue) }
        }

        /// For its responders and subscriptions.
        fileprivate(set) var responderByteCount: Int {
            get { Int(storedResponderByteCount) }
            set { storedResponderByteCount = UInt32(clamping: newValue) }
        }

        /// Counted against the limit of its session.
        fileprivate(set) var declarationCount: Int {
            get { Int(storedDeclarationCount) }
            set { storedDeclarationCount = UInt32(clamping: newValue) }
        }
    }
}
