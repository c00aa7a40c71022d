// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The end of a transaction: which nodes read other values now, in slices of bounded length.
extension Environment {
    private static let cyclesMax = 1024

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
}
