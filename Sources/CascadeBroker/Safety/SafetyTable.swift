// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Declarations of nodes about their subtrees. Few nodes have one, so they are stored apart from
/// the tree, at no cost for a tree without declarations.
struct SafetyTable: ~Copyable {
    private struct CacheKey: VersionedCacheKey {
        var node: NodeIndex
        var declared: DeclaredName

        var number: UInt64 {
            UInt64(node.number) << 32 | UInt64(declared.name.number) << 1
                | UInt64(declared.list.rawValue)
        }
    }

    private var records: [NodeIndex: SafetyDeclaration] = [:]
    /// The declarers of a name.
    private var declarers: [DeclaredName: Set<NodeIndex>] = [:]
    /// How many undeclared names are remembered for each account.
    private var undeclaredCounts: [AccountIndex: Int] = [:]
    /// The number of nodes that examine passing messages.
    private(set) var gateCount = 0

    /// The deadline by which the tree counts as settled, or the check continues.
    private(set) var settling = DeadlineQueue.none
    /// The version of the tree that was noticed last, and until when it is judged at the latest.
    private var noticedVersion: UInt64 = 0
    private var judgedAtLatest = Instant(nanoseconds: 0)
    /// The nodes that the judgement under way has yet to come to, the last one first.
    private var unchecked: [NodeIndex] = []

    private var gates = VersionedCache<CacheKey, NodeIndex>(sizeBits: 10)
    private var decisions = VersionedCache<CacheKey, Bool>(sizeBits: 10)

    subscript(node: NodeIndex) -> SafetyDeclaration? {
        records[node]
    }

    /// The nodes that declare anything, in the order of their numbers.
    var nodes: [NodeIndex] {
        records.keys.sorted()
    }

    // MARK: - Declaring

    /// The findings about a node are kept when it declares again.
    mutating func declare(_ declaration: SafetyDeclaration, at node: NodeIndex) {
        guard !declaration.declaresNothing || records[node] != nil else {
            return
        }
        let former = records[node]
        forget(node)
        guard !declaration.declaresNothing else {
            return
        }
        var declaration = declaration
        declaration.undeclared = former?.undeclared ?? []
        declaration.undeclaredBy = former?.undeclaredBy ?? []
        for account in declaration.undeclaredBy {
            undeclaredCounts[account, default: 0] += 1
        }
        declaration.warned = former?.warned ?? []
        records[node] = declaration
        gateCount += declaration.isGate ? 1 : 0
        for name in declaration.names {
            declarers[name, default: []].insert(node)
        }
    }

    mutating func setAccount(_ account: AccountIndex, of node: NodeIndex) {
        records[node]?.account = account
    }

    mutating func forget(_ node: NodeIndex) {
        guard let former = records.removeValue(forKey: node) else {
            return
        }
        gateCount -= former.isGate ? 1 : 0
        for account in former.undeclaredBy {
            undeclaredCounts[account] = undeclaredCounts[account].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
        for name in former.names {
            declarers[name]?.remove(node)
            if declarers[name]?.isEmpty == true {
                declarers[name] = nil
            }
        }
    }

    /// Returns whether the name is seen there for the first time. Each user has a share of the
    /// recorded names.
    mutating func recordUndeclared(
        _ name: EventName, at node: NodeIndex, by account: AccountIndex,
        _ accounts: borrowing AccountTable
    ) -> Bool {
        guard let record = records[node], !record.undeclared.contains(name) else {
            return false
        }
        let own = record.undeclaredBy.count { $0 == account }
        let share = accounts.shareSize(
            of: account, having: own, of: record.undeclared.count,
            limit: SafetyDeclaration.undeclaredMax)
        guard own < share,
            undeclaredCounts[account, default: 0] < SafetyDeclaration.undeclaredPerUserMax
        else {
            return false
        }
        records[node]?.undeclared.append(name)
        records[node]?.undeclaredBy.append(account)
        undeclaredCounts[account, default: 0] += 1
        return true
    }

    /// Returns whether this is the first warning about the name there.
    mutating func recordWarning(_ name: DeclaredName, at node: NodeIndex) -> Bool {
        records[node]?.warned.insert(name).inserted ?? false
    }

    // MARK: - Judging

    /// A tree that never rests is judged all the same, after so many settling times.
    private static let settlingTimesMax: UInt32 = 10

    /// Returns when the tree will have settled if it has changed since the last call. Each change
    /// begins the settling time anew, unless a judgement is under way: then the next one follows it.
    mutating func noticeChange(
        of hierarchy: borrowing Hierarchy, at now: Instant, settlingIn milliseconds: UInt32
    ) -> Instant? {
        guard gateCount > 0, noticedVersion != hierarchy.version, unchecked.isEmpty else {
            return nil
        }
        noticedVersion = hierarchy.version
        if settling == DeadlineQueue.none {
            let longest =
                min(milliseconds, .max / Self.settlingTimesMax) * Self.settlingTimesMax
            judgedAtLatest = now.advanced(byMilliseconds: longest)
        }
        return min(now.advanced(byMilliseconds: milliseconds), judgedAtLatest)
    }

    /// The tree settles, or the judgement continues, at this deadline.
    mutating func settle(by deadline: DeadlineQueue.Handle) {
        settling = deadline
    }

    /// Whether a judgement has yet to come to some nodes.
    var isJudging: Bool {
        !unchecked.isEmpty
    }

    /// The deadline has passed: the judgement of all nodes begins, unless one is under way.
    mutating func beginJudging() {
        settling = DeadlineQueue.none
        if unchecked.isEmpty {
            unchecked = nodes.reversed()
        }
    }

    mutating func takeUnchecked() -> NodeIndex? {
        unchecked.popLast()
    }

    /// The judgement comes to the node once more.
    mutating func checkAgain(_ node: NodeIndex) {
        unchecked.append(node)
    }

    // MARK: - Asking

    /// The nearest node at or above `start` that declares such a list; ``Slab/Index/none`` for none.
    mutating func gate(
        _ list: DeclaredList, atOrAbove start: NodeIndex, in hierarchy: borrowing Hierarchy
    ) -> NodeIndex {
        guard start != NodeIndex.none else {
            return start
        }
        let key = CacheKey(
            node: start, declared: DeclaredName(list: list, name: NameIndex.none))
        if let gate = gates.value(for: key, version: hierarchy.version) {
            return gate
        }
        var node = start
        while node != NodeIndex.none, records[node]?[list] == nil {
            node = hierarchy.parent(of: node)
        }
        gates.insert(node, for: key, version: hierarchy.version)
        return node
    }

    /// Whether the name is declared at `node` or below it.
    mutating func isDeclared(
        _ name: DeclaredName, atOrBelow node: NodeIndex, in hierarchy: borrowing Hierarchy
    ) -> Bool {
        guard name.name != NameIndex.none else {
            return false
        }
        let key = CacheKey(node: node, declared: name)
        if let isDeclared = decisions.value(for: key, version: hierarchy.version) {
            return isDeclared
        }
        var isDeclared = false
        for declarer in declarers[name] ?? [] where hierarchy.isAtOrBelow(declarer, node) {
            isDeclared = true
            break
        }
        decisions.insert(isDeclared, for: key, version: hierarchy.version)
        return isDeclared
    }

    /// The level that holds at `node`: that of the nearest that declares one.
    func level(at node: NodeIndex, in hierarchy: borrowing Hierarchy) -> SafetyLevel {
        inherited(\.level, at: node, in: hierarchy) ?? .relaxed
    }

    /// Whether the declaration of `node` requires responders for these names.
    func requiresExplicitResponders(
        at node: NodeIndex, in hierarchy: borrowing Hierarchy
    ) -> Bool {
        inherited(\.requiresExplicitResponders, at: node, in: hierarchy) ?? true
    }

    private func inherited<Value>(
        _ member: KeyPath<SafetyDeclaration, Value?>, at node: NodeIndex,
        in hierarchy: borrowing Hierarchy
    ) -> Value? {
        var place = node
        while place != NodeIndex.none {
            if let value = records[place]?[keyPath: member] {
                return value
            }
            place = hierarchy.parent(of: place)
        }
        return nil
    }
}
