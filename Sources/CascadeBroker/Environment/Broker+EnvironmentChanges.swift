// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Telling nodes what they read otherwise: once a transaction, and only where it differs.
extension Broker {
    var resolverFacts: ResolverContext {
        ResolverContext(bus: configuration.bus, host: configuration.host)
    }

    /// Tells nodes that have just attached how things stand, before anything else.
    mutating func tellSnapshots(_ nodes: [NodeIndex]) {
        guard environment.hasWatches else {
            return
        }
        tell(environment.snapshots(of: nodes, resolverFacts, in: hierarchy, peers))
    }

    /// Ends a transaction: nodes that read something else now are told.
    mutating func settleEnvironment() {
        guard environment.hasPendingChanges else {
            return
        }
        tell(environment.settle(resolverFacts, in: hierarchy, peers))
    }

    /// What the broker has for others between two slices of a change that many nodes depend on.
    private static let pauseMilliseconds: UInt32 = 20

    /// Tells more of the nodes that read something else.
    mutating func continueSettlingEnvironment() {
        environment.sliceHandle = DeadlineQueue.none
        tell(environment.settleSlice(resolverFacts, in: hierarchy, peers))
    }

    /// A node reads what was set before a message was raised: it is told before the message comes.
    mutating func tellBeforeMessage(_ node: NodeIndex) {
        if environment.isWaiting(node) {
            tell(environment.settle(node, resolverFacts, in: hierarchy, peers))
        }
    }

    private mutating func tell(_ notices: Environment.Notices) {
        report(notices.cycles)
        for notice in notices.changes {
            // One whose peer is gone is about to become vacant.
            guard let holder = hierarchy[notice.node].holder,
                notice.isSnapshot || peers.isGreeted(holder)
            else {
                continue
            }
            send(
                EnvironmentChanges(
                    node: notice.node.number, isSnapshot: notice.isSnapshot, notice.changes),
                to: holder)
            if !notice.isSnapshot {
                recordChanges(notice.changes, at: notice.node)
            }
        }
        if environment.isUnsettled, environment.sliceHandle == DeadlineQueue.none {
            environment.sliceHandle = deadlines.insert(
                now.advanced(byMilliseconds: Self.pauseMilliseconds), .environment)
        }
    }

    /// Says once that rules need one another.
    private mutating func report(_ cycles: [RuleCycle]) {
        for cycle in cycles {
            log(.cycle(cycle))
        }
    }

    private mutating func recordChanges(_ changes: [EnvironmentChange], at node: NodeIndex) {
        guard !observers.monitors.isEmpty else {
            return
        }
        for change in changes {
            var monitorEvent = MonitorEvent(
                .env, change.isPreference ? "preferred" : "changed",
                path: hierarchy.path(of: node), name: change.key)
            monitorEvent.when = now
            monitorEvent.message = change.new?.shortened
            // A value may come from any node above the reader, a preference from any below.
            monitorEvent.mentions = change.isPreference ? .anything : .places([.root])
            tellMonitors(monitorEvent)
        }
    }
}

extension Environment {
    /// What nodes have to be told, in this order, and the cycles that have shown themselves for the
    /// first time.
    struct Notices {
        struct Notice {
            let node: NodeIndex
            /// Whether it is the first that the node is told.
            var isSnapshot = false
            var changes: [EnvironmentChange]
        }

        var changes: [Notice] = []
        var cycles: [RuleCycle] = []
    }
}
