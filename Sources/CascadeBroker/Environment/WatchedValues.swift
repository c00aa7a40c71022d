// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// The values that nodes watch: those that may have changed, and the nodes that still need a
/// notice.
struct WatchedValues: Sendable {
    typealias Notice = Environment.Notices.Notice

    /// A node that has not received notices of all its watches.
    private struct Remaining {
        /// The watch that is compared next.
        var next = 0
        /// Whether something has changed since the comparison began, so that another one follows.
        var isAgain = false
        var isSnapshot = false
    }

    private var watches = WatchTable()
    /// The changes of the current transaction.
    private var pending = PendingChanges()
    /// The nodes left for later slices, and their order.
    private var remaining: [NodeIndex: Remaining] = [:]
    private var remainingOrder: Deque<NodeIndex> = []
    /// The keys that those nodes may read otherwise; `nil` for all.
    private var remainingKeys: AffectedKeys? = AffectedKeys()

    /// The keys that may read otherwise, and those that their rules may read.
    private struct AffectedKeys: Sendable {
        var affected = SlotSet<KeyIndex>()
        var relevant = SlotSet<KeyIndex>()
    }

    // MARK: - Watching

    var isEmpty: Bool {
        watches.isEmpty
    }

    func isWatching(_ node: NodeIndex) -> Bool {
        !watches[node].isEmpty
    }

    func keys(of node: NodeIndex) -> [KeyIndex] {
        watches[node].map(\.key)
    }

    mutating func watch(_ key: KeyIndex, by node: NodeIndex) {
        if watches.add(key, of: node) {
            pending.markChanged([key], at: node)
        }
    }

    mutating func keepOnly(_ keys: [KeyIndex], of node: NodeIndex) {
        watches.keepOnly(keys, of: node)
    }

    mutating func remove(_ node: NodeIndex) {
        watches.remove(node)
    }

    /// Counts the keys in use, and the accounts that use them.
    func count(in uses: inout KeyUses, _ account: (NodeIndex) -> AccountIndex) {
        watches.count(in: &uses, account)
    }

    // MARK: - Changes

    /// Whether a transaction has changed anything that has not been settled.
    var hasChanges: Bool {
        !pending.isEmpty
    }

    /// Whether notices are left for later slices.
    var isUnsettled: Bool {
        !remaining.isEmpty
    }

    /// These keys may read otherwise at a place and below.
    mutating func markChanged(_ keys: [KeyIndex], at place: NodeIndex) {
        pending.markChanged(keys, at: place)
    }

    /// Any key may read otherwise at a place and below.
    mutating func markAllChanged(at place: NodeIndex) {
        pending.markAllChanged(at: place)
    }

    /// Forgets a place that has been removed.
    mutating func forget(_ place: NodeIndex) {
        remaining[place] = nil
        pending.forget(place)
    }

    // MARK: - Notices

    /// Returns the first notice of a node that has just attached; `nil` if it has to wait for a
    /// slice.
    mutating func snapshot(
        of node: NodeIndex, _ table: EnvironmentTable, _ resolver: inout Resolver,
        in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable,
        _ budget: inout SettlingBudget
    ) -> [EnvironmentChange]? {
        guard !budget.isExhausted else {
            postpone(node, Remaining(isSnapshot: true))
            remainingKeys = nil
            return nil
        }
        var changes: [EnvironmentChange] = []
        if let next = compare(node, nil, table, &resolver, in: hierarchy, peers, &budget, &changes)
        {
            postpone(node, Remaining(next: next))
            remainingKeys = nil
        }
        return changes
    }

    /// Ends a transaction: adds the notices for nodes whose values differ; further notices follow
    /// in slices. Returns the cycles of rules found.
    mutating func settle(
        _ table: EnvironmentTable, _ context: ResolverContext,
        in hierarchy: borrowing Hierarchy, _ peers: borrowing PeerTable,
        _ budget: inout SettlingBudget,
        _ changes: inout [NodeIndex: [EnvironmentChange]]
    ) -> [RuleCycle] {
        let pending = pending.take()
        guard !watches.isEmpty, !pending.isEmpty else {
            return []
        }
        // The keys that may read otherwise, for each place where something changed; none for all.
        var affectedKeys: [SlotSet<KeyIndex>?] = []
        var affected: [NodeIndex: [Int]] = [:]
        for place in pending.keys.sorted() where hierarchy.contains(place) {
            var keys: SlotSet<KeyIndex>?
            if case .these(let changed)? = pending[place] {
                keys = table.dependents(of: changed)
            }
            for node in watchers(of: keys, below: place, in: hierarchy) {
                affected[node, default: []].append(affectedKeys.count)
            }
            affectedKeys.append(keys)
        }
        guard !affected.isEmpty else {
            return []
        }
        let all = affectedKeys.contains { $0 == nil } ? nil : affectedKeys.compactMap(\.self)
        let relevant = all.map { sets in
            table.inputs(of: sets.flatMap { $0.elements() }.filter(watches.isWatched))
        }
        addRemainingKeys(all, relevant)
        var resolver = Resolver(table, context, relevant: relevant)
        for node in affected.keys.sorted() {
            guard remaining[node] == nil else {
                remaining[node]?.isAgain = true
                continue
            }
            guard !budget.isExhausted else {
                postpone(node, Remaining())
                continue
            }
            let sets = affected[node]?.map { affectedKeys[$0] } ?? []
            var sent: [EnvironmentChange] = []
            if let next = compare(
                node, sets, table, &resolver, in: hierarchy, peers, &budget, &sent)
            {
                postpone(node, Remaining(next: next))
            }
            if !sent.isEmpty {
                changes[node, default: []] += sent
            }
        }
        return resolver.cycles
    }

    /// Evaluates one slice of the remaining changes and adds its notices. Returns the cycles of
    /// rules found.
    mutating func settleSlice(
        _ table: EnvironmentTable, _ context: ResolverContext,
        in hierarchy: borrowing Hierarchy, _ peers: borrowing PeerTable,
        _ budget: inout SettlingBudget,
        _ notices: inout [Notice]
    ) -> [RuleCycle] {
        let keys = remainingKeys
        var resolver = Resolver(table, context, relevant: keys?.relevant)
        while !budget.isExhausted, let node = remainingOrder.popFirst() {
            budget.spend(1)
            guard let state = remaining.removeValue(forKey: node), hierarchy.contains(node),
                hierarchy[node].holder != nil
            else {
                continue
            }
            let next = addNotice(
                node, state, keys.map { [$0.affected] }, table, &resolver, in: hierarchy, peers,
                &budget, &notices)
            if let next {
                postpone(node, Remaining(next: next, isAgain: state.isAgain))
            } else if state.isAgain {
                postpone(node, Remaining())
            }
        }
        return resolver.cycles
    }

    /// Whether a notice for the node is left for a later slice.
    func isWaiting(_ node: NodeIndex) -> Bool {
        !remaining.isEmpty && remaining[node] != nil
    }

    /// Adds the notices for one node of all values that it reads otherwise, in one step.
    mutating func settle(
        _ node: NodeIndex, _ table: EnvironmentTable, _ context: ResolverContext,
        in hierarchy: borrowing Hierarchy, _ peers: borrowing PeerTable,
        _ notices: inout [Notice]
    ) -> [RuleCycle] {
        guard let state = remaining.removeValue(forKey: node) else {
            return []
        }
        var budget = SettlingBudget.unbounded
        var resolver = Resolver(table, context)
        let all = Remaining(isSnapshot: state.isSnapshot)
        _ = addNotice(node, all, nil, table, &resolver, in: hierarchy, peers, &budget, &notices)
        return resolver.cycles
    }

    /// Adds the keys of a transaction, some of whose notices may be left for slices.
    private mutating func addRemainingKeys(
        _ affected: [SlotSet<KeyIndex>]?, _ relevant: SlotSet<KeyIndex>?
    ) {
        if remaining.isEmpty {
            remainingKeys = AffectedKeys()
        }
        guard let affected, let relevant else {
            remainingKeys = nil
            return
        }
        for keys in affected {
            remainingKeys?.affected.formUnion(keys)
        }
        remainingKeys?.relevant.formUnion(relevant)
    }

    /// Returns the watch that the budget has ended before, if any.
    private mutating func addNotice(
        _ node: NodeIndex, _ state: Remaining, _ sets: [SlotSet<KeyIndex>?]?,
        _ table: EnvironmentTable, _ resolver: inout Resolver, in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable, _ budget: inout SettlingBudget, _ notices: inout [Notice]
    ) -> Int? {
        var changes: [EnvironmentChange] = []
        let next = compare(
            node, from: state.next, sets, table, &resolver, in: hierarchy, peers, &budget, &changes)
        if state.isSnapshot || !changes.isEmpty {
            notices.append(
                Notice(node: node, isSnapshot: state.isSnapshot, changes: changes))
        }
        return next
    }

    private mutating func postpone(_ node: NodeIndex, _ state: Remaining) {
        remaining[node] = state
        remainingOrder.append(node)
    }

    /// Compares a node's watched values with those sent to it last, and adds the differences.
    /// Returns the first watch that the budget did not cover, if any.
    ///
    /// - Parameter sets: The keys that may differ; `nil` for all.
    private mutating func compare(
        _ node: NodeIndex, from first: Int = 0, _ sets: [SlotSet<KeyIndex>?]?,
        _ table: EnvironmentTable, _ resolver: inout Resolver, in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable, _ budget: inout SettlingBudget,
        _ changes: inout [EnvironmentChange]
    ) -> Int? {
        let watched = watches[node]
        for place in watched.indices.dropFirst(first) {
            let watch = watched[place]
            if let sets, !sets.contains(where: { $0?.contains(watch.key) ?? true }) {
                continue
            }
            guard !budget.isExhausted else {
                return place
            }
            let before = resolver.steps
            let value = resolver.resolve(watch.key, for: node, in: hierarchy, peers).value?.json
            budget.spend(1 + resolver.steps - before)
            if value != watch.sent {
                budget.spendBytes((watch.sent?.utf8.count ?? 0) + (value?.utf8.count ?? 0))
                changes.append(
                    EnvironmentChange(table.keys[watch.key], old: watch.sent, new: value))
                watches.recordSent(value, place, of: node)
            }
        }
        return nil
    }

    /// The nodes at and below a place that watch one of these keys; by whichever way is shorter.
    private func watchers(
        of keys: SlotSet<KeyIndex>?, below place: NodeIndex, in hierarchy: borrowing Hierarchy
    ) -> [NodeIndex] {
        let watched =
            keys.map { $0.elements().filter(watches.isWatched) } ?? Array(watches.watchedKeys)
        let count = watched.reduce(0) { $0 + watches.watchers(of: $1).count }
        guard count > 0 else {
            return []
        }
        if let nodes = hierarchy.subtree(of: place, countMax: count) {
            return nodes.filter { !watches[$0].isEmpty }
        }
        var found: Set<NodeIndex> = []
        for key in watched {
            found.formUnion(watches.watchers(of: key))
        }
        return found.filter { hierarchy.isAtOrBelow($0, place) }
    }
}
