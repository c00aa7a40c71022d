// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeJSON

/// Prints the tree.
struct Tree: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the tree.",
        discussion: """
            RATE is the number of visits and deliveries that a node answers per second, averaged \
            since it attached or, with --watch, since the previous tree.

            Example: cascadectl tree /kitchen --depth 2
            """)

    @OptionGroup var inspected: InspectionOptions

    @Argument(
        help: "Root of the subtree to show.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath = .root

    @Option(
        help: ArgumentHelp(
            "Number of levels below the root of the subtree; otherwise all.", valueName: "levels"))
    var depth: UInt32?

    @Flag(help: "Nodes grouped by systemd unit.")
    var units = false

    @Option(
        name: .customLong("env"),
        help: ArgumentHelp("Key whose value is shown for each node.", valueName: "key"),
        completion: .keys, transform: EventName.argument)
    var key: EventName?

    @Flag(help: "Nodes of all sites that can be seen, as one tree.")
    var sites = false

    func validate() throws {
        guard key == nil || !units else {
            throw ValidationError("--env and --units exclude each other")
        }
        let others = [
            ("--env", key != nil), ("--units", units), ("--site", inspected.asked.site != nil),
            ("--dump", inspected.dump != nil),
        ]
        if sites, let other = others.first(where: \.1)?.0 {
            throw ValidationError("--sites and \(other) exclude each other")
        }
    }

    func run() async throws {
        if sites {
            try await showSites()
            return
        }
        if let key, inspected.dump == nil {
            try await show(key)
            return
        }
        let inspection = Inspection(inspected)
        let subject = Query.Subject.tree(path: path, depth: depth ?? .max)
        try await inspection.show(subject) { message, earlier, bus in
            let nodes = try TreeAnswer(parsing: message).nodes
            let shown = try earlier.map { try TreeAnswer(parsing: $0).nodes } ?? []
            return document(
                TreeDocument(
                    bus: bus.name, entries: bus.entries(nodes),
                    earlier: Dictionary(shown.map { ($0.path, $0) }) { $1 }))
        } dumped: { dump in
            let entries = try dump.entries(from: path, depth: depth ?? .max)
            return document(try tree(entries, of: dump))
        }
    }

    /// Prints the nodes of all sites, once or again and again.
    private func showSites() async throws {
        let output = inspected.output
        guard inspected.watch else {
            try await inspected.bus.withBus { bus in
                output.show(try await joinedTree(bus))
            }
            return
        }
        let screen = try WatchScreen(output)
        try await inspected.bus.watchBus(screen.showConnection) { bus in
            try await bus.poll(screen) { _ in ([], try await joinedTree(bus)) }
        }
    }

    /// Asks the sites for their nodes.
    private func joinedTree(_ bus: Bus) async throws -> JoinedTreeDocument {
        let tree = JoinedTree(await bus.realm()).limited(to: path, depth: Int(depth ?? .max))
        guard !tree.lines.isEmpty else {
            throw CascadeError(.refused, "there is no node at '\(path)'", reason: .noSuchNode)
        }
        return JoinedTreeDocument(bus: bus.name, tree: tree, now: .now)
    }

    /// Prints the tree with the values of a key, once or again after each change.
    private func show(_ key: EventName) async throws {
        guard inspected.watch else {
            try await inspected.bus.withBus(asking: inspected.asked.site) { bus in
                try await bus.reaching(path) { bus, path in
                    try inspected.output.conclude(
                        try await tree(subjects(path, key), key, bus, earlier: nil))
                }
            }
            return
        }
        let screen = try WatchScreen(inspected.output)
        try await inspected.bus.watchBus(asking: inspected.asked.site, screen.showConnection) {
            bus in
            let (bus, path) = try await bus.located(path)
            let subjects = subjects(path, key)
            guard bus.asked == nil else {
                try await bus.poll(screen) { _ in
                    ([], try await tree(subjects, key, bus, earlier: nil))
                }
                return
            }
            // A change while the answers are read causes another round.
            let changes = try await bus.changes(subjects)
            var shown = try await tree(subjects, key, bus, earlier: nil)
            screen.show(shown)
            var place = PlaceWatch(wasShown: true)
            for await _ in changes {
                try await place.show {
                    shown = try await tree(subjects, key, bus, earlier: shown)
                    screen.show(shown)
                } absence: {
                    screen.show($0)
                }
            }
        }
    }

    private func subjects(_ path: NodePath, _ key: EventName) -> [Query.Subject] {
        [.tree(path: path, depth: depth ?? .max), .environmentTree(key: key, path: path)]
    }

    /// Asks the bus for the tree with the values of a key.
    private func tree(
        _ subjects: [Query.Subject], _ key: EventName, _ bus: Bus, earlier: TreeDocument?
    ) async throws -> TreeDocument {
        let nodes = try TreeAnswer(parsing: await bus.query(subjects[0])).nodes
        let values = try KeyInTreeDocument(answer: await bus.query(subjects[1]))
        return TreeDocument(
            bus: bus.name, entries: bus.entries(nodes),
            earlier: Dictionary((earlier?.entries ?? []).map { ($0.node.path, $0.node) }) { $1 },
            column: ValueColumn(key: key, answer: values))
    }

    /// Returns the tree in a dump.
    private func tree(_ entries: [NodeEntry], of dump: Dump) throws -> TreeDocument {
        let column = try key.map { key in
            ValueColumn(key: key, environment: try dump.environment())
        }
        return TreeDocument(bus: dump.bus, entries: entries, column: column)
    }

    private func document(_ tree: TreeDocument) -> any Document {
        units ? UnitsDocument(tree: tree) : tree
    }
}

// MARK: - Documents

/// The tree, depth first.
struct TreeDocument: Document {
    let bus: String
    let entries: [NodeEntry]
    /// The nodes of the previous document by path; empty for the first.
    var earlier: [NodePath: NodeSnapshot] = [:]
    /// The values of the requested key; `nil` if none is requested.
    var column: ValueColumn?

    var json: JSONValue {
        CascadeInspection.TreeDocument(
            bus: bus,
            nodes: entries.map { entry in
                var node = entry.brief
                if let column, let value = column[node.path] {
                    node.environment = [column.key.description: value]
                }
                return node
            }
        ).json
    }

    func text(_ style: Style) -> String {
        var table = Table([
            "NODE", "STATE", column?.key.description ?? "", "SITE", "PID", "USER", "UNIT",
            "AGE", "RESPONDERS", "SUBSCRIPTIONS", "RATE",
        ])
        let top = entries.first?.node.path.depth ?? 0
        for entry in entries {
            let node = entry.node
            let indent = String(repeating: "  ", count: node.path.depth - top)
            let name = node.path.depth == top ? node.path.description : "/" + node.path.name
            table.append([
                Cell(indent + node.state.glyph + " " + name),
                Cell(node.state.name, node.state.colour),
                Cell(column?[node.path]?.text ?? ""),
                Cell(entry.brief.site ?? ""),
                Cell(node.holder.map { String($0.processID) } ?? ""),
                Cell(entry.user ?? ""),
                Cell(entry.unit ?? ""),
                Cell(Age.text(microseconds: node.ageMicroseconds)),
                Cell(node.responders.map(\.summary).joined(separator: ", ")),
                Cell(node.subscribedNames.map(\.description).joined(separator: ", ")),
                Cell(node.rate(since: earlier[node.path]) ?? ""),
            ])
        }
        return table.text(style)
    }
}

/// The values of one key at each node.
struct ValueColumn {
    let key: EventName
    private var values: [NodePath: JSONValue] = [:]

    /// - Parameter answer: The bus's answer about one key in a subtree.
    init(key: EventName, answer: KeyInTreeDocument) {
        self.key = key
        for entry in answer.values {
            values[entry.path] = entry.value
        }
    }

    /// - Parameter environment: The environment of all nodes, from a dump.
    init(key: EventName, environment: [NodeEnvironmentEntry]) {
        self.key = key
        for node in environment {
            values[node.path] = node.values.first { $0.key == key }?.value
        }
    }

    subscript(path: NodePath) -> JSONValue? {
        values[path]
    }
}

/// The nodes of a tree, grouped by systemd unit. The JSON is that of the tree.
struct UnitsDocument: Document {
    let tree: TreeDocument

    var json: JSONValue {
        tree.json
    }

    func text(_ style: Style) -> String {
        var units: [String] = []
        var nodesOfUnits: [String: [NodeSnapshot]] = [:]
        for node in tree.entries.map(\.node) {
            guard let holder = node.holder else {
                continue
            }
            if nodesOfUnits[holder.unit] == nil {
                units.append(holder.unit)
            }
            nodesOfUnits[holder.unit, default: []].append(node)
        }
        var table = Table(["UNIT", "NODE", "STATE", "PID"])
        for unit in units.sorted() {
            var shown = unit.isEmpty ? "(none)" : unit
            for node in nodesOfUnits[unit] ?? [] {
                table.append([
                    Cell(shown, .bold),
                    Cell(node.path.description),
                    Cell(node.state.name, node.state.colour),
                    Cell(node.holder.map { String($0.processID) } ?? ""),
                ])
                shown = ""
            }
        }
        return table.text(style)
    }
}

extension NodeSnapshot {
    /// Returns the visits and deliveries per second: since an earlier snapshot of the same session,
    /// else since the attachment. `nil` if no session holds the place.
    func rate(since earlier: NodeSnapshot?) -> String? {
        guard !path.isRoot, let holder, let visits = counter("visits") else {
            return nil
        }
        if let earlier, earlier.holder?.session == holder.session,
            earlier.ageMicroseconds < ageMicroseconds,
            let before = earlier.counter("visits"), before <= visits
        {
            return Rate.text(
                count: visits - before, microseconds: ageMicroseconds - earlier.ageMicroseconds)
        }
        return Rate.text(count: visits, microseconds: ageMicroseconds)
    }
}

// MARK: - Graph

/// Draws the tree.
struct Graph: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw the tree for Graphviz, Mermaid or as SVG.",
        discussion: """
            Example: cascadectl graph --format svg --traffic > tree.svg
            """)

    @OptionGroup var inspected: InspectionOptions

    @Argument(
        help: "Root of the subtree to draw.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath = .root

    @Option(help: "Output format.")
    var format = GraphFormat.dot

    @Flag(help: "Number of answered visits of each node, by which its edge is scaled.")
    var traffic = false

    func run() async throws {
        try await Inspection(inspected).show(.tree(path: path, depth: .max)) { message, _ in
            document(try TreeAnswer(parsing: message).nodes)
        } dumped: { dump in
            document(try dump.entries(from: path).map(\.node))
        }
    }

    private func document(_ nodes: [NodeSnapshot]) -> GraphDocument {
        GraphDocument(picture: TreePicture(nodes, showsTraffic: traffic), format: format)
    }
}
