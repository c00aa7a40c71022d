// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeJSON

/// Prints the status of the bus or of a node.
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the status of the bus, or of one node.",
        discussion: """
            The bus's status is a summary, with what is wrong now and what has gone wrong since the \
            daemon began; --all adds all counters, and the limits with their use. The nodes of the \
            bus are the places in the tree below the root; a vacant place counts as a node. A \
            node's status is always complete.

            Example: cascadectl status /kitchen
            """)

    @OptionGroup var inspected: InspectionOptions

    @Flag(help: "All counters and limits of the bus, in addition to the summary.")
    var all = false

    @Argument(
        help: "Path of the node; otherwise the bus itself.", completion: .nodes,
        transform: NodePath.argument)
    var path: NodePath?

    func run() async throws {
        let inspection = Inspection(inspected)
        guard let path else {
            try await inspection.show(.bus) { message, _ in
                BusDocument(
                    answer: try BusAnswer(parsing: message), now: .now, showsAll: all)
            } dumped: { dump in
                var document = try BusDocument(dump)
                document.showsAll = all
                return document
            }
            return
        }
        if let file = inspected.dump {
            try await inspected.output.conclude(node(path, in: Dump(readingFile: file)))
            return
        }
        try await show(path)
    }

    /// Prints the node once, or again after each change.
    private func show(_ path: NodePath) async throws {
        guard inspected.watch else {
            try await inspected.bus.withBus(asking: inspected.asked.site) { bus in
                try await bus.reaching(path) { bus, path in
                    try inspected.output.conclude(try await node(subjects(path), bus))
                }
            }
            return
        }
        let screen = try WatchScreen(inspected.output)
        try await inspected.bus.watchBus(asking: inspected.asked.site, screen.showConnection) {
            bus in
            let (bus, path) = try await bus.located(path)
            let subjects = subjects(path)
            guard bus.asked == nil else {
                try await bus.poll(screen) { _ in ([], try await node(subjects, bus)) }
                return
            }
            // A change while the answers are read causes another round.
            let changes = try await bus.changes(subjects)
            screen.show(try await node(subjects, bus))
            var place = AbsenceWatch(of: .place, wasShown: true)
            for await _ in changes {
                try await place.watch {
                    screen.show(try await node(subjects, bus))
                } reporting: {
                    screen.show($0)
                }
            }
        }
    }

    private func subjects(_ path: NodePath) -> [Query.Subject] {
        [
            .tree(path: path, depth: 0), .environment(path: path, key: nil),
            .preferences(path: path),
        ]
    }

    /// Returns the document of a node in a dump.
    private func node(_ path: NodePath, in dump: Dump) async throws -> NodeDocument {
        let entry = try dump.entries(from: path, depth: 0)[0]
        let keeping = try await entry.node.messagesKeepingIt {
            let document: ReceivedDocument<UndeliveredDocument> = try dump.document("undelivered")
            return document.content
        }
        return NodeDocument(
            bus: dump.bus, entry: entry, values: try dump.environment(at: path),
            preferences: try dump.preferences(at: path).preferences,
            past: .none, keeping: keeping)
    }

    /// Asks the bus for the document of a node.
    private func node(_ subjects: [Query.Subject], _ bus: Bus) async throws -> NodeDocument {
        guard let node = try TreeAnswer(parsing: await bus.query(subjects[0])).nodes.first
        else {
            throw Stop(.protocolError, "the bus's answer names no node")
        }
        let environment = try EnvironmentDocument(answer: await bus.query(subjects[1]))
        let preferences = try PreferencesDocument(answer: await bus.query(subjects[2]))
        let past = InspectionQuery.pastMessages(of: node.path)
        let keeping = try await node.messagesKeepingIt {
            try UndeliveredDocument(answer: await bus.query(.undelivered))
        }
        return NodeDocument(
            bus: bus.name, entry: bus.entries([node])[0],
            values: environment.values, preferences: preferences.preferences,
            past: try PastMonitorEventsDocument(answer: await bus.query(past.subject)),
            keeping: keeping)
    }
}

// MARK: - A node

/// The status of a node.
struct NodeDocument: Document {
    let bus: String
    let entry: NodeEntry
    /// The node's environment: keys, values and their provenance.
    let values: [EnvironmentEntry]
    /// The reduced preferences of the node and its subtree.
    let preferences: NamedMembers<JSONValue>
    /// The past monitor events about the node's messages.
    let past: PastMonitorEventsDocument
    /// The held messages that keep a vacant place without nodes below it in the tree.
    let keeping: [UndeliveredMessage]

    private var content: InspectedNode {
        var node = entry.whole
        node.add(
            EnvironmentDocument(values: values),
            PreferencesDocument(path: node.path, preferences: preferences), past)
        return node
    }

    var json: JSONValue {
        NodeStatusDocument(bus: bus, node: content).json
    }

    func text(_ style: Style) -> String {
        let node = entry.node
        var card = Card(title: node.path.description)
        card.add("state", node.state.name)
        card.add("kept for", reason)
        card.add("active", node.isActive ? "yes" : "no")
        if let holder = node.holder {
            card.add("process", String(holder.processID))
            card.add("program", holder.program)
            card.add("user", entry.user)
            card.add("uid", holder.userID == .max ? nil : String(holder.userID))
            card.add("gid", holder.groupID == .max ? nil : String(holder.groupID))
            card.add(
                "groups",
                holder.groups.isEmpty
                    ? nil : holder.groups.map { "\($0)" }.joined(separator: " "))
            card.add("unit", entry.unit)
            card.add("key", holder.key)
            card.add("session", node.path.isRoot ? nil : holder.session.description)
        }
        card.add("since", entry.since.description)
        card.add("age", Age.text(microseconds: node.ageMicroseconds))
        card.add("children", String(node.childCount))
        card.add("relation", node.isPresented ? "presented" : nil)
        card.add("memory", entry.residentBytes.map { ByteCount.text($0) })
        card.add("triggers", node.triggers.map { $0.map(\.description).joined(separator: ", ") })
        card.add("reports", node.reports.map { $0.map(\.description).joined(separator: ", ") })
        card.add("safety", node.safety?.name)
        card.add(
            "orphans",
            node.detachesOrphans ? "detached when the node does not return" : nil)
        card.add("visits", node.visitSummary)
        for (index, responder) in node.responders.enumerated() {
            card.add("responder \(index)", responder.summary)
        }
        for subscription in node.subscriptions {
            card.add("subscription", subscription.description)
        }
        for standIn in node.standIns {
            card.add("stand-in", "\(standIn.name), up to level \(standIn.levels) below")
        }
        for value in values {
            let from = (value.source ?? value.from).map { " from \($0)" } ?? ""
            card.add("environment", "\(value.key) is \(value.value?.text ?? "")\(from)")
        }
        for preference in preferences {
            card.add("preference", "\(preference.name) is \(preference.value.text)")
        }
        let content = content
        for event in content.outcomes ?? [] {
            card.add("outcome", Self.line(event))
        }
        if let lastError = content.lastError, let error = lastError.error {
            let words = [error.name.description, error.message].compactMap(\.self)
            card.add("last error", words.joined(separator: ": ") + ", of " + Self.line(lastError))
        }
        return card.text(style)
    }

    /// The reason why the vacant place is kept; `nil` if it is not known.
    private var reason: String? {
        guard let end = keeping.compactMap(\.heldUntil).max() else {
            return nil
        }
        let count = keeping.count == 1 ? "1 held message" : "\(keeping.count) held messages"
        return "\(count) from here, until \(end); 'cascadectl undelivered' has more"
    }

    private static func line(_ event: MonitorEventDocument) -> String {
        let by = event.by.map { " by \($0)" } ?? ""
        let name = event.name?.description ?? ""
        let path = event.path?.description ?? ""
        return "\(name) from \(path), \(event.outcome?.rawValue ?? "")\(by), \(event.when)"
    }
}

extension NodeSnapshot {
    /// Returns the held messages that keep the place in the tree: of a vacant place without nodes below it,
    /// those from there. Reads the undelivered messages only for such a place.
    fileprivate func messagesKeepingIt(
        reading undelivered: () async throws -> UndeliveredDocument
    ) async rethrows -> [UndeliveredMessage] {
        guard state == .vacant, childCount == 0 else {
            return []
        }
        return try await undelivered().undelivered.filter { $0.isHeld && $0.origin == path }
    }
}
