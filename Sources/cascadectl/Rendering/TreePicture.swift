// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// A drawing of the tree, independent of the output format. Nodes are identified by their indices
/// in tree order.
struct TreePicture: Sendable {
    struct Node: Sendable {
        let lines: [String]
        let state: NodeState
        let isPresented: Bool
        /// The index of the parent; `nil` for the root.
        let parent: Int?
        let depth: Int
        /// The width of the edge to the parent, from 1 to 8, by the share of the traffic.
        let weight: Int
    }

    let nodes: [Node]

    /// - Parameter nodes: A subtree, in tree order.
    init(_ nodes: [NodeSnapshot], showsTraffic: Bool) {
        var indices: [NodePath: Int] = [:]
        let top = nodes.first?.path.depth ?? 0
        let visitsMax = nodes.map { $0.counter("visits") ?? 0 }.max() ?? 0
        self.nodes = nodes.enumerated().map { index, node in
            indices[node.path] = index
            let visits = node.counter("visits") ?? 0
            var lines = [index == 0 ? node.path.description : node.path.name]
            lines += node.holder.map { ["\($0.processID)"] } ?? []
            if showsTraffic, !node.path.isRoot {
                lines.append("\(visits) visits")
            }
            return Node(
                lines: lines, state: node.state, isPresented: node.isPresented,
                parent: node.path.parent.flatMap { indices[$0] }, depth: node.path.depth - top,
                weight: showsTraffic ? Self.weight(visits, of: visitsMax) : 1)
        }
    }

    private static func weight(_ visits: UInt64, of max: UInt64) -> Int {
        max == 0 ? 1 : 1 + Int((Double(visits) / Double(max) * 7).rounded())
    }
}

extension NodeState {
    /// The fill colour of the state.
    var fill: String {
        switch self {
        case .live: "#d7f0d7"
        case .inactive: "#e8e8e8"
        case .unresponsive: "#f6cfcf"
        case .leaving: "#f8efc4"
        case .vacant: "#ffffff"
        }
    }
}

// MARK: - Document

/// A drawing of the tree.
struct GraphDocument: Document {
    let picture: TreePicture
    let format: GraphFormat

    var json: JSONValue {
        .document("graph", ["format": .string(format.rawValue), "graph": .string(drawing)])
    }

    func text(_ style: Style) -> String {
        drawing
    }

    private var drawing: String {
        switch format {
        case .dot: picture.dot
        case .mermaid: picture.mermaid
        case .svg: picture.svg
        }
    }
}

/// The output formats of a drawing.
enum GraphFormat: String, ExpressibleByArgument, CaseIterable {
    /// Graphviz.
    case dot
    case mermaid
    case svg
}

// MARK: - Graphviz

extension TreePicture {
    /// The drawing for Graphviz. A vacant place has a dashed border, a presented node a dashed
    /// edge.
    var dot: String {
        var lines = [
            "digraph cascade {",
            "  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];",
            "  edge [dir=none];",
        ]
        for (index, node) in nodes.enumerated() {
            let label = node.lines.map(Self.dotEscaped).joined(separator: "\\n")
            let border = node.state == .vacant ? ", style=\"rounded,dashed\"" : ""
            lines.append(
                "  n\(index) [label=\"\(label)\", fillcolor=\"\(node.state.fill)\"\(border)];")
        }
        for (index, node) in nodes.enumerated() {
            if let parent = node.parent {
                let style = node.isPresented ? ", style=dashed" : ""
                lines.append("  n\(parent) -> n\(index) [penwidth=\(node.weight)\(style)];")
            }
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private static func dotEscaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}

// MARK: - Mermaid

extension TreePicture {
    /// The drawing for Mermaid. A vacant place has a dashed border, a presented node a dashed edge.
    var mermaid: String {
        var lines = ["flowchart TD"]
        for (index, node) in nodes.enumerated() {
            let label = node.lines.joined(separator: "<br/>").replacing("\"", with: "#quot;")
            lines.append("  n\(index)[\"\(label)\"]")
        }
        var edges = 0
        for (index, node) in nodes.enumerated() {
            if let parent = node.parent {
                lines.append("  n\(parent) \(node.isPresented ? "-.-" : "---") n\(index)")
                if node.weight > 1 {
                    lines.append("  linkStyle \(edges) stroke-width:\(node.weight)px")
                }
                edges += 1
            }
        }
        for (index, node) in nodes.enumerated() {
            let border = node.state == .vacant ? ",stroke-dasharray:4" : ""
            lines.append("  style n\(index) fill:\(node.state.fill)\(border)")
        }
        return lines.joined(separator: "\n")
    }
}
