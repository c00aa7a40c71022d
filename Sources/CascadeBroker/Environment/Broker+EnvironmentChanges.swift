// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Telling nodes what they read otherwise: once a transaction, and only where it differs.
extension Broker {
    var resolverFacts: ResolverFacts {
        ResolverFacts(
            bus: configuration.bus, host: configuration.host, hierarchy: hierarchy, peers: peers)
    }

    /// Tells nodes that have just attached how things stand, before anything else.
    mutating func tellSnapshots(_ nodes: [NodeIndex]) {
        guard environment.hasWatches else {
            return
        }
        let notices = environment.snapshots(of: nodes, resolverFacts)
        for (node, changes) in notices.changes {
            if let holder = hierarchy[node].holder {
                send(EnvironmentChanges(node: node.number, isSnapshot: true, changes), to: holder)
            }
        }
        report(notices.cycles)
    }

    /// Ends a transaction: whoever reads something else now is told.
    mutating func settleEnvironment() {
        guard environment.hasPendingChanges else {
            return
        }
        let notices = environment.settle(resolverFacts)
        report(notices.cycles)
        for (node, changes) in notices.changes {
            // One whose peer is gone is about to become vacant.
            if let holder = hierarchy[node].holder, peers.isGreeted(holder) {
                send(EnvironmentChanges(node: node.number, changes), to: holder)
                noteChanges(changes, at: node)
            }
        }
    }

    /// Says once that rules need one another.
    private mutating func report(_ cycles: [RuleCycle]) {
        for cycle in cycles {
            log(.cycle(cycle))
        }
    }

    private mutating func noteChanges(_ changes: [EnvironmentChange], at node: NodeIndex) {
        guard !monitors.isEmpty else {
            return
        }
        for change in changes {
            var happening = Happening(
                .env, change.isPreference ? "preferred" : "changed",
                path: hierarchy.path(of: node), name: change.key)
            happening.when = now
            happening.message = change.new?.shortened
            // A value may come from any node above the reader, a preference from any below.
            happening.mentions = change.isPreference ? .anything : .places([.root])
            tellMonitors(happening)
        }
    }
}
