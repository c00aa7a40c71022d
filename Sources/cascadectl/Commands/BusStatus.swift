// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON
package import CascadeWire

/// The status of the bus.
struct BusDocument: Document {
    let answer: BusAnswer
    let now: Timestamp
    /// Whether the text has all counters and limits.
    var showsAll = false

    var json: JSONValue {
        BusStatusDocument(answer, now: now).json
    }

    private var since: Timestamp {
        answer.since ?? now.earlier(byMicroseconds: answer.ageMicroseconds)
    }

    func text(_ style: Style) -> String {
        var card = Card(title: answer.bus)
        let age = Age.text(microseconds: answer.ageMicroseconds)
        card.add("daemon", "\(answer.release), process \(answer.processID), for \(age)")
        card.add("since", since.description)
        let summary = BusSummary(answer)
        card.add("nodes", summary.nodes)
        card.add("sessions", answer.counter("sessions").map(String.init))
        card.add("messages", summary.messages)
        card.add("under way", summary.underWay)
        card.add("wrong now", summary.faults.isEmpty ? ["nothing"] : summary.faults)
        card.add(
            "went wrong", summary.pastFaults.isEmpty ? ["nothing"] : summary.pastFaults)
        if showsAll {
            card.add("counters", answer.counters.map { $0.text(of: []) })
            card.add("limits", answer.limits.map { limit in limit.text(of: answer.uses) })
        }
        return card.text(style)
    }
}

// MARK: - The summary

/// The status of the bus in a few lines for people.
package struct BusSummary {
    /// The number of nodes, and of those in each state.
    package let nodes: String
    package let messages: String
    package let underWay: String
    /// Faults that exist now, each with what to do.
    package let faults: [String]
    /// Faults since the daemon began.
    package let pastFaults: [String]

    /// The share of a limit, in percent, from which its use is a fault.
    private static let nearlyFull: UInt64 = 80

    /// Limits of what is kept for inspection, which is replaced by later entries: their use is no
    /// fault.
    private static let rings: Set = [
        "undelivered", "undeliveredBytes", "traces", "monitorEvents", "durableOutcomes",
        "disconnectedSessions", "replyBytes", "quarantined",
    ]

    package init(_ answer: BusAnswer) {
        let count = { (name: String) in answer.counter(name) ?? 0 }
        let states = NodeState.allCases.map { ($0.name, count("nodes.\($0.name)")) }
        let nodeCount = states.reduce(0) { $0 + $1.1 }
        let shown = Self.list(states)
        nodes = shown.isEmpty ? "none" : "\(nodeCount): \(shown)"
        let raised = Self.list(
            [
                "handled", "caught", "unhandled", "failed", "timedOut", "rejected", "looped",
                "cascaded",
            ].map { ($0, count($0)) })
        let published = Self.list(
            ["delivered", "noSubscriber"].map { ($0, count($0)) })
        messages = [
            "\(count("triggered")) triggered" + (raised.isEmpty ? "" : " (\(raised))"),
            "\(count("published")) published" + (published.isEmpty ? "" : " (\(published))"),
        ].joined(separator: ", ")
        let events = count("eventsUnderWay")
        let publications = count("publicationsUnderWay")
        underWay =
            "\(events) \(events == 1 ? "event" : "events"), "
            + "\(publications) \(publications == 1 ? "publication" : "publications")"
        faults = Self.faults(answer)
        pastFaults = Self.pastFaults(answer)
    }

    /// Returns the counts other than 0, with their names.
    private static func list(_ counts: [(String, UInt64)]) -> String {
        counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
    }

    private static func faults(_ answer: BusAnswer) -> [String] {
        var faults: [String] = []
        if let count = answer.counter("nodes.unresponsive"), count > 0 {
            faults.append("\(count) unresponsive: see 'list --state unresponsive'")
        }
        for limit in answer.limits where limit.value > 0 && !rings.contains(limit.name) {
            let use = answer.uses.first { $0.name == limit.name }?.value ?? 0
            let percent = Double(use) * 100 / Double(limit.value)
            if percent >= Double(nearlyFull) {
                faults.append("limit \(limit.text(of: answer.uses)), \(Int(percent)) %")
            }
        }
        if let count = answer.counter("journalDamaged"), count > 0 {
            faults.append("\(count) damaged stretches of the journal: see the daemon's log")
        }
        return faults
    }

    private static func pastFaults(_ answer: BusAnswer) -> [String] {
        let kinds: [(name: String, what: String)] = [
            ("unhandled", "unhandled: see 'undelivered'"),
            ("failed", "failed: see 'monitor --kind error --since 1h'"),
            ("timedOut", "timed out"),
            ("rejected", "rejected: see 'monitor --kind event,error --since 1h'"),
            ("looped", "looped"),
            ("dropped", "dropped (unacknowledged events)"),
            ("durableForgotten", "dropped (outcomes of durable events)"),
            ("nodesLost", "lost (nodes whose process exited without leaving)"),
            ("refused", "refused (requests): see 'monitor --kind admin --since 1h'"),
            ("violations", "ended (sessions that violated the protocol)"),
        ]
        return kinds.compactMap { kind in
            answer.counter(kind.name).flatMap { $0 > 0 ? "\($0) \(kind.what)" : nil }
        }
    }
}

extension BusAnswer {
    fileprivate func counter(_ name: String) -> UInt64? {
        counters.first { $0.name == name }?.value
    }
}

extension NamedNumber {
    /// Returns a counter or a limit as text, with its current use if that is known; bytes with their
    /// unit.
    fileprivate func text(of uses: [NamedNumber]) -> String {
        let isOfBytes = name.hasSuffix("Bytes") || name.hasSuffix("ByteCount")
        let shown = { (count: UInt64) in isOfBytes ? ByteCount.text(count) : String(count) }
        let use =
            uses.first { $0.name == name }.map { use in
                // The limit also covers the root, which is not counted as a node.
                "\(shown(name == "nodes" ? max(use.value, 1) - 1 : use.value)) of "
            } ?? ""
        return "\(name) \(use)\(shown(value))"
    }
}
