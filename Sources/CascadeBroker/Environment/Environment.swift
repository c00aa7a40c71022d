// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The values, rules and preferences of the bus, and the notices that each node has received.
///
/// Only this file changes it; the extensions beside it read, for checks and for answers.
///
/// Changes are collected; ``settle(_:)`` ends a transaction and returns the notices for each node.
/// Places are known by index, and the tree is an argument where it is needed.
struct Environment: Sendable {
    private(set) var table: EnvironmentTable
    private(set) var watched = WatchedValues()
    private(set) var preferences = PreferenceTable()
    /// The places to which values that are kept for their paths have been bound.
    private var boundPlaces: Set<NodeIndex> = []
    /// When the next slice is due.
    private(set) var nextSlice = DeadlineQueue.none
    private var keySweeps = SweepSchedule()
    /// Grows with each change that a query about the environment may see.
    private(set) var version: UInt64 = 0
    /// The files of rules, in the order in which they count.
    private(set) var ruleFiles: [RuleModelFile] = []
    /// The cycles that rules have shown since rules changed last.
    private(set) var cycles: [RuleCycle] = []

    private static let cyclesMax = 1024

    init(keysMax: UInt32) {
        table = EnvironmentTable(keysMax: keysMax)
    }

    // MARK: - Setting

    /// Reads assignments and checks them. Nothing has changed yet.
    mutating func prepare(
        _ assignments: Assignments, of path: NodePath, by author: Provenance, at now: Instant,
        _ limits: Limits
    ) throws(WireError) -> PreparedAssignments {
        try PreparedAssignments(assignments, of: path, by: author, at: now, limits, &table.keys)
    }

    /// Applies prepared assignments. A declaration is complete: a value that it omits is withdrawn.
    mutating func assign(
        _ prepared: PreparedAssignments, at node: NodeIndex, isWhole: Bool, by assigner: Assigner,
        in hierarchy: borrowing Hierarchy, _ accounts: inout AccountTable
    ) -> [Assigned] {
        var assigned: [Assigned] = []
        if isWhole {
            let keys = Set(prepared.settings.map(\.key))
            for key in table.keys(at: node) where !keys.contains(key) {
                release(key, at: node, in: hierarchy, &assigned)
            }
        }
        for setting in prepared.settings {
            assign(setting, at: node, by: assigner, in: hierarchy, &accounts, &assigned)
        }
        // The rules at the root are those of files; a node there has none.
        if node != Hierarchy.root,
            prepared.model != nil || (isWhole && table.models[node] != nil)
        {
            setModel(prepared.model, at: node)
        }
        offer(prepared, at: node, isWhole: isWhole, in: hierarchy)
        if isWhole {
            watched.keepOnly(prepared.watchedKeys, of: node)
            preferences.watches.keepOnly(prepared.watchedPreferences, of: node)
        }
        for key in prepared.watchedKeys {
            watched.watch(key, by: node)
        }
        for key in prepared.watchedPreferences {
            preferences.watch(key, of: node, in: hierarchy)
        }
        return assigned
    }

    private mutating func assign(
        _ setting: PreparedAssignments.Setting, at node: NodeIndex, by assigner: Assigner,
        in hierarchy: borrowing Hierarchy, _ accounts: inout AccountTable,
        _ assigned: inout [Assigned]
    ) {
        let key = setting.key
        let path = hierarchy.path(of: node)
        let kept = table.kept[path]?.values[key]
        if setting.isSticky, setting.value != nil, node != Hierarchy.root {
            release(key, at: node, in: hierarchy, &assigned)
            if let kept = keep(setting, .stickyNode, for: path, by: assigner, &accounts) {
                assigned.append(kept)
            }
            bindKept(to: [node], in: hierarchy)
            return
        }
        if kept?.setter == .stickyNode {
            let nothing = PreparedAssignments.Setting(
                key: key, value: nil, isForItself: false, isSticky: true)
            if let kept = keep(nothing, .stickyNode, for: path, by: assigner, &accounts) {
                assigned.append(kept)
            }
        }
        guard let value = setting.value else {
            release(key, at: node, in: hierarchy, &assigned)
            return
        }
        var set = SetValue(
            value: value, setter: setting.isSticky ? .stickyNode : .node,
            isForItself: setting.isForItself, order: table.nextOrder(), since: assigner.now,
            author: assigner.author, account: assigner.account, isFallback: setting.isFallback)
        if var former = table.current(key, at: node)?.held, former.isSame(as: set) {
            if former.source != setting.source {
                former.setSource(setting.source, at: assigner.now)
                table.hold(former, key, at: node)
                version += 1
            }
            return
        }
        set.setSource(setting.source, at: assigner.now)
        table.hold(set, key, at: node)
        watched.markChanged([key], at: node)
        assigned.append(
            Assigned(path: path, key: table.keys[key], value: value, isByNode: true))
    }

    /// Keeps a value for a path, with or without a node there, or no longer. Returns `nil` if it is
    /// kept already.
    mutating func keep(
        _ setting: PreparedAssignments.Setting, _ setter: SetValue.Setter, for path: NodePath,
        by assigner: Assigner, _ accounts: inout AccountTable
    ) -> Assigned? {
        let set = setting.value.map { value in
            SetValue(
                value: value, setter: setter,
                isForItself: setting.isForItself || setter == .outside,
                order: nextOrder(of: setter, for: path),
                since: assigner.now, author: assigner.author, account: assigner.account)
        }
        let former = table.kept[path]?.values[setting.key]
        if let set, former?.isSame(as: set) == true, former?.account == assigner.account,
            setter == .stickyNode
        {
            return nil
        }
        if let place = table.kept[path]?.place {
            watched.markChanged([setting.key], at: place)
        }
        table.keep(set, setting.key, for: path, &accounts)
        version += 1
        return Assigned(
            path: path, key: table.keys[setting.key], value: setting.value,
            isByNode: setter != .outside)
    }

    /// Withdraws a sticky value that a former holder of the root has left there, if it has left one.
    mutating func releaseLeft(_ key: KeyIndex, in hierarchy: borrowing Hierarchy) -> [Assigned] {
        var assigned: [Assigned] = []
        release(key, at: Hierarchy.root, in: hierarchy, &assigned)
        return assigned
    }

    /// Returns the order of a value that is kept. At the root, a value from outside stands before all of
    /// the node there.
    private mutating func nextOrder(of setter: SetValue.Setter, for path: NodePath) -> UInt64 {
        let order = table.nextOrder()
        return path.isRoot && setter == .outside ? order | SetValue.firstOfRoot : order
    }

    /// Keeps a value that the daemon before kept. Returns whether it had room and was valid.
    mutating func restore(
        _ value: Handover.Value, for account: AccountIndex, at now: Instant, _ limits: Limits,
        _ accounts: inout AccountTable
    ) -> Bool {
        guard table.keptCount + table.stickyCount < limits.keptValues,
            let json = try? KeyValue.parse(value.json), BuiltInKey(value.key) == nil,
            let key = try? table.keys.number(of: value.key)
        else {
            return false
        }
        let setter: SetValue.Setter = value.isSticky ? .stickyNode : .outside
        var restored = SetValue(
            value: KeyValue(json), setter: setter, isForItself: value.isForItself,
            order: nextOrder(of: setter, for: value.path), since: min(value.since, now),
            author: value.author, account: account, isFallback: value.isFallback)
        restored.setSource(value.source.map { ValueSource($0, isStale: true) }, at: now)
        if value.path.isRoot, value.isSticky {
            table.hold(restored, key, at: Hierarchy.root)
        } else {
            table.keep(restored, key, for: value.path, &accounts)
        }
        return true
    }

    /// Withdraws a node's value of a key, if it has one.
    private mutating func release(
        _ key: KeyIndex, at node: NodeIndex, in hierarchy: borrowing Hierarchy,
        _ assigned: inout [Assigned]
    ) {
        guard table.current(key, at: node)?.held != nil else {
            return
        }
        table.hold(nil, key, at: node)
        watched.markChanged([key], at: node)
        assigned.append(
            Assigned(
                path: hierarchy.path(of: node), key: table.keys[key], value: nil, isByNode: true))
    }

    private mutating func setModel(_ model: RuleModel?, at node: NodeIndex) {
        watched.markChanged(table.setModel(model, at: node), at: node)
        version += 1
        cycles = []
    }

    private mutating func offer(
        _ prepared: PreparedAssignments, at node: NodeIndex, isWhole: Bool,
        in hierarchy: borrowing Hierarchy
    ) {
        if isWhole {
            let offered = Set(prepared.offers.map(\.key))
            for key in preferences.offers.keys(of: node) where !offered.contains(key) {
                preferences.offer(nil, key, .first, of: node, in: hierarchy)
            }
        }
        for offer in prepared.offers {
            preferences.offer(offer.value, offer.key, offer.reducer, of: node, in: hierarchy)
        }
    }

    /// Withdraws the values, preferences and watches of a node that leaves, in one step.
    mutating func withdraw(
        _ node: NodeIndex, in hierarchy: borrowing Hierarchy
    ) -> [Assigned] {
        var assigned: [Assigned] = []
        for key in table.keys(at: node)
        where table.current(key, at: node)?.held?.setter != .stickyNode {
            release(key, at: node, in: hierarchy, &assigned)
        }
        if node != Hierarchy.root, table.models[node] != nil {
            setModel(nil, at: node)
        }
        watched.remove(node)
        preferences.withdraw(node, in: hierarchy)
        return assigned
    }

    // MARK: - Places

    /// Values that are kept for the paths of these places, and of those above them, count there.
    mutating func bindKept(to nodes: [NodeIndex], in hierarchy: borrowing Hierarchy) {
        guard !table.kept.isEmpty else {
            return
        }
        for node in nodes {
            var place = node
            // The ancestors of a bound place are bound too.
            while boundPlaces.insert(place).inserted || place == node {
                let keys = table.bind(place, to: hierarchy.path(of: place))
                watched.markChanged(keys, at: place)
                guard place != Hierarchy.root else {
                    break
                }
                place = hierarchy.parent(of: place)
            }
        }
    }

    /// Prepares for a move of a subtree; `moved` begins with its root.
    mutating func willMove(_ moved: [NodeIndex], in hierarchy: borrowing Hierarchy) {
        preferences.moves(moved, in: hierarchy)
    }

    /// Adapts to the move of a subtree; `moved` begins with its root.
    mutating func didMove(_ moved: [NodeIndex], in hierarchy: borrowing Hierarchy) {
        guard let node = moved.first else {
            return
        }
        preferences.moves(moved, in: hierarchy)
        if !table.kept.isEmpty {
            boundPlaces.subtract(moved)
            for place in moved {
                table.unbind(place)
            }
            bindKept(to: moved, in: hierarchy)
        }
        watched.markAllChanged(at: node)
    }

    /// Marks all keys of a place and its subtree as possibly changed.
    mutating func invalidate(_ place: NodeIndex) {
        watched.markAllChanged(at: place)
    }

    /// Forgets a place that has been removed.
    mutating func forget(_ place: NodeIndex) {
        boundPlaces.remove(place)
        table.unbind(place)
        watched.forget(place)
        preferences.forget(place)
    }

    // MARK: - Rules

    /// Replaces the rules from files: all of them, or none when it throws. Returns their number.
    mutating func load(
        _ files: [RuleModelFile], at now: Instant, _ limits: Limits
    ) throws(WireError) -> Int {
        let model = try Self.model(of: files, at: now, limits, &table.keys)
        ruleFiles = files
        setModel(files.isEmpty ? nil : model, at: Hierarchy.root)
        return model.rules.count
    }

    // MARK: - Settling

    /// Whether any node watches anything.
    var hasWatches: Bool {
        !watched.isEmpty || !preferences.watches.isEmpty
    }

    /// Returns the first notices of nodes that have just attached: the values of all watched keys.
    /// Values that take too long to evaluate follow in slices.
    mutating func snapshots(
        of nodes: [NodeIndex], _ context: ResolverContext, in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable
    ) -> Notices {
        var notices = Notices()
        var resolver = Resolver(table, context)
        var budget = SettlingBudget()
        for node in nodes where hierarchy[node].holder != nil {
            let preferred = preferences.watches[node].map(\.key)
            guard watched.isWatching(node) || !preferred.isEmpty else {
                continue
            }
            guard
                var changes = watched.snapshot(
                    of: node, table, &resolver, in: hierarchy, peers, &budget)
            else {
                continue
            }
            for key in preferred {
                let value = preferences.change(key, of: node, in: hierarchy, &budget)
                if let value = value.new {
                    changes.append(
                        EnvironmentChange(
                            table.keys[key], old: nil, new: value, isPreference: true))
                }
            }
            notices.changes.append(
                Notices.Notice(node: node, isSnapshot: true, changes: changes))
        }
        notices.cycles = remember(resolver.cycles)
        return notices
    }

    /// Whether a transaction has changed anything that has not been settled.
    var hasPendingChanges: Bool {
        watched.hasChanges || preferences.hasChanges
    }

    /// The next slice begins at this deadline.
    mutating func continueSettling(at deadline: DeadlineQueue.Handle) {
        nextSlice = deadline
    }

    /// Whether notices are left for later slices (``settleSlice(_:)``).
    var isUnsettled: Bool {
        watched.isUnsettled || preferences.isUnsettled
    }

    /// Ends a transaction. Returns the notices for nodes whose values differ; further notices
    /// follow in slices.
    mutating func settle(
        _ context: ResolverContext, in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable
    ) -> Notices {
        version += 1
        var changes: [NodeIndex: [EnvironmentChange]] = [:]
        var notices = Notices()
        var budget = SettlingBudget()
        notices.cycles = remember(
            watched.settle(table, context, in: hierarchy, peers, &budget, &changes))
        addPreferences(to: &changes, in: hierarchy, &budget)
        notices.changes = changes.sorted { $0.key < $1.key }
            .map { Notices.Notice(node: $0.key, changes: $0.value) }
        return notices
    }

    /// Evaluates one slice of the remaining changes and returns its notices.
    mutating func settleSlice(
        _ context: ResolverContext, in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable
    ) -> Notices {
        var notices = Notices()
        var budget = SettlingBudget()
        notices.cycles = remember(
            watched.settleSlice(table, context, in: hierarchy, peers, &budget, &notices.changes))
        var changes: [NodeIndex: [EnvironmentChange]] = [:]
        addPreferences(to: &changes, in: hierarchy, &budget)
        notices.changes += changes.sorted { $0.key < $1.key }
            .map { Notices.Notice(node: $0.key, changes: $0.value) }
        return notices
    }

    /// Whether a notice for the node is left for a later slice.
    func isWaiting(_ node: NodeIndex) -> Bool {
        watched.isWaiting(node)
    }

    /// Returns the notices for one node of all values that it reads otherwise, in one step.
    mutating func settle(
        _ node: NodeIndex, _ context: ResolverContext, in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable
    ) -> Notices {
        var notices = Notices()
        notices.cycles = remember(
            watched.settle(node, table, context, in: hierarchy, peers, &notices.changes))
        return notices
    }

    private mutating func addPreferences(
        to changes: inout [NodeIndex: [EnvironmentChange]], in hierarchy: borrowing Hierarchy,
        _ budget: inout SettlingBudget
    ) {
        for (node, change) in preferences.settle(table.keys, in: hierarchy, &budget) {
            changes[node, default: []].append(change)
        }
    }

    /// Returns those of the cycles that are new.
    private mutating func remember(_ found: [RuleCycle]) -> [RuleCycle] {
        var new: [RuleCycle] = []
        for cycle in found where cycles.count < Self.cyclesMax && !cycles.contains(cycle) {
            cycles.append(cycle)
            new.append(cycle)
        }
        return new
    }

    // MARK: - Numbers of keys

    /// Keys that are numbered from now on belong to this account.
    mutating func beginKeys(for account: AccountIndex, _ share: Share) {
        table.keys.begin(for: account, share)
    }

    /// Charges the keys that have been numbered since this was called last.
    mutating func chargeKeys(to accounts: inout AccountTable) {
        if let (account, count) = table.keys.takeMade() {
            accounts.charge(count, .keys, to: account)
        }
    }

    /// Frees the numbers of unused keys if a sweep is due.
    ///
    /// - Parameter isFull: whether the table has no room otherwise.
    mutating func sweepKeysIfDue(
        isFull: Bool, at now: Instant, in hierarchy: borrowing Hierarchy,
        _ accounts: inout AccountTable
    ) {
        guard keySweeps.isDue(newCount: table.keys.newCount, isFull: isFull, at: now) else {
            return
        }
        var uses = KeyUses()
        // The rules at the root are the bus's own.
        table.count(in: &uses) { node in
            node == Hierarchy.root ? AccountTable.own : hierarchy[node].account
        }
        watched.count(in: &uses) { hierarchy[$0].account }
        preferences.count(in: &uses) { hierarchy[$0].account }
        keySweeps.recordSweep(of: table.keys.end + uses.count, at: now)
        table.keys.sweep(uses, &accounts)
        version += 1
    }
}
