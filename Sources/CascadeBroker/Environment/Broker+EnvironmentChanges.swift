// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Notifying nodes of changed environment values: once for each transaction, and only of real
/// changes.
extension Broker {
    var resolverContext: ResolverContext {
        ResolverContext(bus: configuration.bus, host: configuration.host)
    }

    /// Sends the current values to nodes that have just attached, before anything else.
    mutating func sendSnapshots(_ nodes: [NodeIndex]) {
        guard environment.hasWatches else {
            return
        }
        send(environment.snapshots(of: nodes, resolverContext, in: hierarchy, peers))
    }

    /// Ends a transaction and notifies the nodes whose values differ.
    mutating func settleEnvironment() {
        guard environment.hasPendingChanges else {
            return
        }
        send(environment.settle(resolverContext, in: hierarchy, peers))
    }

    /// Milliseconds between two slices of a change that many nodes depend on, left for other work.
    private static let pauseMilliseconds: UInt32 = 20

    /// Sends notices to more of the nodes that read other values than before.
    mutating func continueSettlingEnvironment() {
        send(environment.settleSlice(resolverContext, in: hierarchy, peers))
    }

    /// Sends a node the changes made before a message was raised, so that they arrive before the
    /// message.
    @inline(__always)
    mutating func notifyBeforeMessage(_ node: NodeIndex) {
        if environment.isWaiting(node) {
            send(environment.settle(node, resolverContext, in: hierarchy, peers))
        }
    }

    private mutating func send(_ notices: Environment.Notices) {
        report(notices.cycles)
        for notice in notices.changes {
            // A node without a connected peer is about to become vacant.
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
        if environment.isUnsettled, !deadlines.contains(environment.nextSlice) {
            environment.continueSettling(
                at: deadlines.insert(
                    now.advanced(byMilliseconds: Self.pauseMilliseconds), .environment))
        }
    }

    /// Logs cycles of rules.
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
                change.isPreference ? .preferred : .changed,
                path: hierarchy.path(of: node), name: change.key)
            monitorEvent.when = now
            monitorEvent.message = change.new?.shortened
            // A value may come from any node above the reader, a preference from any below.
            monitorEvent.mentions = change.isPreference ? .anything : .places([.root])
            reportToMonitors(monitorEvent)
        }
    }
}

extension Environment {
    /// The notices to send, in order, and the cycles found for the first time.
    struct Notices {
        struct Notice {
            let node: NodeIndex
            /// Whether it is the node's first notice.
            var isSnapshot = false
            var changes: [EnvironmentChange]
        }

        var changes: [Notice] = []
        var cycles: [RuleCycle] = []
    }
}
