// SPDX-License-Identifier: Apache-2.0

package import CascadeInspection
import CascadeJSON
package import CascadeWire

/// The nodes of all sites as one tree: each site's nodes at the place where it stands.
package struct JoinedTree: Sendable {
    package struct Line: Sendable {
        package enum Content: Sendable {
            /// A node, in the names of the site that has told it.
            case node(NodeSnapshot)
            /// A site whose nodes are not known, and why.
            case unanswered(String)
        }

        /// The place in the names of this bus.
        package let path: NodePath
        /// The place of the parent; `nil` for the root of the tree.
        package let parent: NodePath?
        /// The levels below the root of the tree.
        package let depth: Int
        /// The name of the site that stands at the place; `nil` for other nodes.
        package let site: String?
        package let content: Content
        /// Whether this bus, and no other, has told it.
        package let isHere: Bool
    }

    package private(set) var lines: [Line] = []

    package init(_ realm: Realm) {
        let line = realm.line
        // The highest site whose nodes are known is the root; those above it are named.
        let top = line.lastIndex { $0.nodes != nil } ?? 0
        for site in line[(top + 1)...].reversed() {
            append(.unanswered(of: site), at: site, depth: 0, parent: nil)
        }
        if line.indices.contains(top) {
            append(line[top], in: realm, root: nil)
        }
    }

    /// Appends the nodes of a site.
    ///
    /// - Parameter root: The line of the mount at which it stands, which is its root; `nil` for the root of
    ///   the tree.
    private mutating func append(_ site: Realm.Site, in realm: Realm, root: Line?) {
        guard let nodes = site.nodes else {
            let depth = root.map { $0.depth + 1 } ?? 0
            append(.unanswered(of: site), at: site, depth: depth, parent: root?.path)
            return
        }
        var shown: Set<NodePath> = []
        for node in nodes where root == nil || !node.path.isRoot {
            let path = realm.above.path(node.path, ofSiteAt: site.place)
            let below = node.isMount ? site.below.first { $0 == path } : nil
            let child = below.flatMap { realm[$0] }
            let parent = node.path.parent.map { realm.above.path($0, ofSiteAt: site.place) }
            let name = node.path.isRoot ? site.entry.name : child?.entry.name
            let line = Line(
                path: path, parent: parent, depth: (root?.depth ?? 0) + node.path.depth,
                site: name?.isEmpty == false ? name : nil, content: .node(node),
                isHere: site.place.isRoot)
            lines.append(line)
            if let child {
                shown.insert(path)
                append(child, in: realm, root: line)
            }
        }
        appendSites(below: site, exceptAt: shown, in: realm, depth: (root?.depth ?? 0) + 1)
    }

    /// Appends the sites below that have gone for longer than the bus keeps their places: no node is there
    /// any more. A site that was never seen is none of them.
    private mutating func appendSites(
        below site: Realm.Site, exceptAt shown: Set<NodePath>, in realm: Realm, depth: Int
    ) {
        let root = realm.above.path(.root, ofSiteAt: site.place)
        for place in site.below where !shown.contains(place) {
            guard let child = realm[place], child.nodes == nil, child.entry.state.known != .absent
            else {
                continue
            }
            append(.unanswered(of: child), at: child, depth: depth, parent: root)
        }
    }

    private mutating func append(
        _ content: Line.Content, at site: Realm.Site, depth: Int, parent: NodePath?
    ) {
        lines.append(
            Line(
                path: site.place, parent: parent, depth: depth, site: site.entry.name,
                content: content, isHere: false))
    }

    /// Keeps what is at and below `path`, down to `depth` levels.
    package func limited(to path: NodePath, depth: Int) -> JoinedTree {
        var limited = self
        limited.lines = lines.filter { path.contains($0.path) }
        let top = limited.lines.first?.depth ?? 0
        limited.lines.removeAll { line in
            switch line.content {
            case .node: line.depth - top > depth
            // The line about a site is below that of its mount.
            case .unanswered: line.depth - top - 1 > depth
            }
        }
        return limited
    }
}

extension JoinedTree.Line.Content {
    fileprivate static func unanswered(of site: Realm.Site) -> Self {
        .unanswered(site.failure ?? site.entry.sentence)
    }
}

// MARK: - Document

/// The nodes of all sites, depth first.
package struct JoinedTreeDocument: Document {
    let bus: String
    let tree: JoinedTree
    let now: Timestamp

    package init(bus: String, tree: JoinedTree, now: Timestamp) {
        self.bus = bus
        self.tree = tree
        self.now = now
    }

    var json: JSONValue {
        var nodes: [JSONValue] = []
        var unanswered: [JSONValue] = []
        for line in tree.lines {
            switch line.content {
            case .node(let node):
                nodes.append((try? JSONValue(encoding: entry(node, line))) ?? .null)
            case .unanswered(let message):
                unanswered.append(
                    .members([
                        "site": line.site.map { .string($0) }, "place": .text(line.path),
                        "message": .string(message),
                    ]))
            }
        }
        return .members([
            "schema": .string(TreeDocument.schemaName),
            "bus": .string(bus), "nodes": .array(nodes),
            "unanswered": unanswered.isEmpty ? nil : .array(unanswered),
        ])
    }

    private func entry(_ node: NodeSnapshot, _ line: JoinedTree.Line) -> InspectedNode {
        let user = line.isHere ? NodeEntry(node: node, now: now).user : nil
        var entry = InspectedNode(node, now: now, user: user).brief
        entry.path = line.path
        entry.parent = line.parent
        entry.site = line.site ?? entry.site
        return entry
    }

    package var text: String {
        text(Style(isColoured: false))
    }

    func text(_ style: Style) -> String {
        var table = Table(
            [
                "NODE", "STATE", "SITE", "PID", "USER", "UNIT", "AGE", "RESPONDERS",
                "SUBSCRIPTIONS",
                "",
            ], wrapping: [9])
        let top = tree.lines.first?.depth ?? 0
        for line in tree.lines {
            let indent = String(repeating: "  ", count: line.depth - top)
            switch line.content {
            case .node(let node):
                let name = line.depth == top ? line.path.description : "/" + node.path.name
                table.append([
                    Cell(indent + node.state.glyph + " " + name),
                    Cell(node.state.name, node.state.colour),
                    Cell(line.site ?? ""),
                    Cell(node.holder.map { String($0.processID) } ?? ""),
                    Cell(entry(node, line).user ?? ""),
                    Cell(node.holder?.unit ?? ""),
                    Cell(Age.text(microseconds: node.ageMicroseconds)),
                    Cell(node.responders.map(\.summary).joined(separator: ", ")),
                    Cell(node.subscriptions.map(\.description).joined(separator: ", ")),
                    Cell(""),
                ])
            case .unanswered(let message):
                // Below its mount, which has the path, the line has the name alone.
                let name = line.parent == line.path ? line.site ?? "" : line.path.description
                var cells = [Cell(indent + "✗ " + name, .red), Cell("unanswered", .red)]
                cells += Array(repeating: Cell(""), count: 7)
                table.append(cells + [Cell(message)])
            }
        }
        return table.text(style)
    }
}
