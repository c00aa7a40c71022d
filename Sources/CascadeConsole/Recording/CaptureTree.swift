// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The tree of a capture: that of a keyframe, and what monitor events say of it afterwards.
///
/// Monitor events do not say what a node declares, so a node that came after the keyframe has no names until
/// the next one.
struct CaptureTree {
    private struct Node {
        let number: Int
        var name: String
        var parent: String
        var state: String
        var unit = ""
        var program = ""
        var user = ""
        var processID: UInt32?
        var asked: [String] = []
        var told: [String] = []
        var since: Timestamp?
    }

    private var nodes: [String: Node] = [:]
    private var lastNumber = 0
    /// The number of nodes that pages are told of. Of a larger tree they are told the upper levels.
    private let toldCountMax: Int
    /// Whether there was a keyframe.
    private(set) var isKnown = false

    init(toldCountMax: Int = FollowedTree.toldCountMax) {
        self.toldCountMax = toldCountMax
    }

    /// Takes a keyframe, and returns its lines.
    mutating func read(_ keyframe: JSONValue, at when: Timestamp) -> [RecordedLine] {
        self = CaptureTree(toldCountMax: toldCountMax)
        isKnown = true
        var lines: [RecordedLine] = [.keyframe(when), .value("state", "\"live\"")]
        if let bus = keyframe["tree"]?["bus"] {
            lines.append(.value("bus", bus.text))
        }
        if let undelivered = keyframe["undelivered"]?["undelivered"] {
            lines.append(.value("undelivered", BusView.shown(undelivered: undelivered).text))
        }
        var entries = keyframe["tree"]?["nodes"]?.elements ?? []
        if entries.count > toldCountMax {
            lines.append(.value("untold", String(entries.count - toldCountMax)))
            entries = Array(entries.inOrder(ofLevels: Self.level).prefix(toldCountMax))
        }
        for entry in entries {
            guard let path = entry["path"]?.string else {
                continue
            }
            var node = makeNode(path, state: entry["state"]?.string ?? "live")
            node.unit = entry["unit"]?.string ?? ""
            node.program = entry["program"]?.string ?? ""
            node.user = entry["user"]?.string ?? ""
            node.processID = entry["pid"]?.integer()
            node.asked = NodeRow.distinct(
                entry["responders"]?.elements.compactMap { $0["name"]?.string } ?? [])
            node.told = NodeRow.distinct(
                entry["subscriptions"]?.elements.compactMap(\.string) ?? [])
            node.since = entry["since"]?.string.flatMap { Timestamp($0) }
            nodes[path] = node
            lines.append(line(of: node))
        }
        return lines
    }

    private static func level(of entry: JSONValue) -> Int {
        let path = entry["path"]?.string ?? "/"
        return path == "/" ? 0 : path.utf8.count { $0 == UInt8(ascii: "/") }
    }

    /// Takes a monitor event, and returns the lines of the nodes that it changed.
    mutating func read(event: JSONValue, at when: Timestamp) -> [RecordedLine] {
        guard isKnown, event["kind"]?.string == "topology" else {
            return []
        }
        let path = event["path"]?.string ?? ""
        let processID: UInt32? = event["pid"]?.integer()
        switch event["what"]?.string {
        case "attached": return attached(path, processID, when)
        case "lost": return change(path, to: "vacant", when)
        case "left", "detached": return left(path, when)
        case "gone": return remove(path)
        case "activated": return change(path, to: "live", nil)
        case "deactivated": return change(path, to: "inactive", nil)
        case "moved":
            guard let former = event["from"]?.string else {
                return []
            }
            return remove(former) + attached(path, nil, when)
        case "unresponsive", "responsive":
            let state = event["what"]?.string == "responsive" ? "live" : "unresponsive"
            return nodes.filter { $0.value.processID == processID && processID != nil }.keys
                .sorted()
                .flatMap { change($0, to: state, nil) }
        default: return []
        }
    }

    private mutating func attached(
        _ path: String, _ processID: UInt32?, _ when: Timestamp
    ) -> [RecordedLine] {
        var lines: [RecordedLine] = []
        // A node may attach before those above it, whose places are vacant then.
        let missing = Self.places(to: path).filter { nodes[$0] == nil }
        guard missing.isEmpty || nodes.count + missing.count <= toldCountMax else {
            return []
        }
        for place in missing {
            let node = makeNode(place, state: place == path ? "live" : "vacant")
            nodes[place] = node
            lines.append(line(of: node))
        }
        nodes[path]?.processID = processID
        return lines + change(path, to: "live", when)
    }

    /// The node has left: its place remains if there are others below it.
    private mutating func left(_ path: String, _ when: Timestamp) -> [RecordedLine] {
        nodes.values.contains { $0.parent == path }
            ? change(path, to: "vacant", when) : remove(path)
    }

    private mutating func change(
        _ path: String, to state: String, _ since: Timestamp?
    ) -> [RecordedLine] {
        guard var node = nodes[path] else {
            return []
        }
        node.state = state
        node.since = since ?? node.since
        nodes[path] = node
        return [line(of: node)]
    }

    private mutating func remove(_ path: String) -> [RecordedLine] {
        nodes.removeValue(forKey: path).map { [.gone($0.number)] } ?? []
    }

    // MARK: - Nodes

    private mutating func makeNode(_ path: String, state: String) -> Node {
        lastNumber += 1
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        return Node(
            number: nodes[path]?.number ?? lastNumber,
            name: path == "/" ? "/" : String(path[path.index(after: slash)...]),
            parent: path == "/" ? "" : slash == path.startIndex ? "/" : String(path[..<slash]),
            state: state)
    }

    /// The places from the one below the root to a path.
    private static func places(to path: String) -> [String] {
        path.indices.filter { path[$0] == "/" && $0 != path.startIndex }.map { String(path[..<$0]) }
            + [path]
    }

    /// The row of a node in the form of a frame's.
    private func line(of node: Node) -> RecordedLine {
        let row = NodeRow(
            number: node.number, parent: nodes[node.parent]?.number ?? 0, name: node.name,
            state: node.state, unit: node.unit, program: node.program, user: node.user,
            asked: node.asked, told: node.told, since: node.since)
        return .node(node.number, JSONValue.array(row.elements).text)
    }
}
