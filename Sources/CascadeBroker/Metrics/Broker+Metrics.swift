// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// Metrics: the counters and the present contents of the bus, for a metrics server.
extension Broker {
    /// All metrics, in Prometheus' text format.
    package var metrics: String {
        var viewer = Viewer(Policy.open.authorization(of: PolicyIdentity()), [:], .unbounded)
        return (try? metrics(for: &viewer)) ?? ""
    }

    /// Sums are of the whole bus; single nodes are only those that the viewer may inspect.
    func metrics(for viewer: inout Viewer) throws(WireError) -> String {
        try viewer.spend(hierarchy.count / 4)
        var metrics = MetricsText()
        metrics.family("cascade_build_info", .gauge, "The daemon's release; always 1.")
        metrics.sample("cascade_build_info", [("release", configuration.release)], is: 1)
        writeEvents(to: &metrics)
        writeTree(to: &metrics)
        writeSessions(to: &metrics)
        writeQuotas(to: &metrics)
        try writeNodes(to: &metrics, for: &viewer)
        processFacts?.write(to: &metrics)
        return metrics.text
    }

    private func writeEvents(to metrics: inout MetricsText) {
        metrics.counter(
            "cascade_raised_total", "Events, requests, errors and cascades that were raised.",
            observers.counters.triggered)
        metrics.counter("cascade_published_total", "Publications.", observers.counters.published)
        metrics.family(
            "cascade_events_total", .counter, "Events and publications that have ended, by how.")
        for (outcome, count) in observers.counters.outcomes {
            metrics.sample("cascade_events_total", [("outcome", outcome.name)], is: count)
        }
        metrics.histogram(
            "cascade_event_seconds",
            "From the arrival of an acknowledged event at the daemon to its end.",
            observers.eventTimes)
        metrics.family(
            "cascade_dropped_total", .counter, "Unacknowledged events that went nowhere, by why.")
        let dropped = observers.counters.dropped - observers.counters.droppedStopping
        metrics.sample("cascade_dropped_total", [("reason", "queueFull")], is: dropped)
        metrics.sample(
            "cascade_dropped_total", [("reason", "stopping")],
            is: observers.counters.droppedStopping)
        metrics.counter(
            "cascade_late_verdicts_total", "Verdicts that came after the deadline.",
            observers.counters.lateVerdicts)
        metrics.counter(
            "cascade_refused_total", "Requests of peers that were refused.",
            observers.counters.refused)
        metrics.counter(
            "cascade_violations_total", "Sessions that ended because they broke the protocol.",
            observers.counters.violations)
        metrics.counter(
            "cascade_nodes_lost_total", "Nodes whose connection broke.",
            observers.counters.nodesLost)
        metrics.counter(
            "cascade_journal_damaged_total",
            "Stretches of the journal that could not be read, at the start or since.",
            observers.counters.journalDamaged)
    }

    private func writeTree(to metrics: inout MetricsText) {
        let counts = nodeCounts
        metrics.family("cascade_nodes", .gauge, "Nodes in the tree, by state.")
        for state in NodeState.allCases {
            metrics.sample("cascade_nodes", [("state", state.name)], is: counts[state] ?? 0)
        }
        metrics.gauge(
            "cascade_queue_depth",
            "Visits and deliveries on their way to nodes, in their hands, or waiting for them.",
            UInt64(traffic.deliveries.count))
        metrics.gauge(
            "cascade_events_under_way", "Events that have not ended.", UInt64(traffic.events.count))
        metrics.gauge(
            "cascade_publications_under_way", "Publications that have not ended.",
            UInt64(traffic.publications.count))
    }

    private func writeSessions(to metrics: inout MetricsText) {
        metrics.gauge(
            "cascade_sessions", "Sessions that are connected.", UInt64(peers.greeted.count))
        metrics.gauge(
            "cascade_absent_sessions", "Sessions without a connection that may come back.",
            UInt64(sessions.disconnected.count))
    }

    private func writeQuotas(to metrics: inout MetricsText) {
        metrics.family(
            "cascade_quota_used_ratio", .gauge,
            "How much of a limit of the whole bus is used, from 0 to 1.")
        let limits = configuration.limits.named
        for use in uses where Self.quotas.contains(use.name) {
            if let limit = limits.first(where: { $0.name == use.name }) {
                metrics.sample(
                    "cascade_quota_used_ratio", [("quota", use.name)], ratio: use.value,
                    of: limit.value)
            }
        }
    }

    /// The names of the shared tables, whose limits are those of the whole bus.
    private static let quotas = Set(SharedTable.allCases.map(\.name))

    /// Writes nodes one by one only while they are few: peers choose the names of nodes, and a
    /// metrics database keeps each name for ever.
    private func writeNodes(
        to metrics: inout MetricsText, for viewer: inout Viewer
    ) throws(WireError) {
        let held = hierarchy.subtree(of: Hierarchy.root, depth: .max)
            .filter { hierarchy[$0].holder != nil }
        var nodes: [(record: NodeRecord, labels: [(String, String)])] = []
        for node in held where nodes.count <= Int(configuration.metricsNodes) {
            try viewer.spend(4)
            let path = hierarchy.path(of: node)
            if viewer.sees(path) {
                nodes.append((hierarchy[node], [("node", path.description)]))
            }
        }
        guard !nodes.isEmpty, nodes.count <= configuration.metricsNodes else {
            return
        }
        metrics.family(
            "cascade_node_queue_depth", .gauge, "Visits and deliveries for one node.")
        for (record, labels) in nodes {
            metrics.sample(
                "cascade_node_queue_depth", labels,
                is: UInt64(record.unansweredCount + record.waitingCount))
        }
        metrics.family("cascade_node_visits_total", .counter, "Verdicts of one node.")
        for (record, labels) in nodes {
            metrics.sample("cascade_node_visits_total", labels, is: record.answeredCount)
        }
        metrics.family("cascade_node_errors_total", .counter, "Errors of one node.")
        for (record, labels) in nodes {
            metrics.sample("cascade_node_errors_total", labels, is: record.failedCount)
        }
    }
}
