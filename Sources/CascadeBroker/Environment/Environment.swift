// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The values, rules and preferences of the bus, and the notices that each node has received.
///
/// This file, Environment+Assigning.swift and Environment+Settling.swift change it. The other extensions
/// and the broker read, for checks and for answers.
///
/// Changes are collected; ``settle(_:)`` ends a transaction and returns the notices for each node.
/// Places are known by index, and the tree is an argument where it is needed.
struct Environment: Sendable {
    var table: EnvironmentTable
    var watched = WatchedValues()
    var preferences = PreferenceTable()
    /// The places to which values that are kept for their paths have been bound.
    private var boundPlaces: Set<NodeIndex> = []
    /// When the next slice is due.
    private(set) var nextSlice = DeadlineQueue.none
    private var keySweeps = SweepSchedule()
    /// Grows with each change that a query about the environment may see.
    var version: UInt64 = 0
    /// The files of rules, in the order in which they count.
    private(set) var ruleFiles: [RuleModelFile] = []
    /// The cycles that rules have shown since rules changed last.
    var cycles: [RuleCycle] = []

    init(keysMax: UInt32) {
        table = EnvironmentTable(keysMax: keysMax)
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

    mutating func setModel(_ model: RuleModel?, at node: NodeIndex) {
        watched.markChanged(table.setModel(model, at: node), at: node)
        version += 1
        cycles = []
    }

    // MARK: - Slices

    /// The next slice begins at this deadline.
    mutating func continueSettling(at deadline: DeadlineQueue.Handle) {
        nextSlice = deadline
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
