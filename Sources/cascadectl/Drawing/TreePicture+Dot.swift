// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension TreePicture {
    /// The drawing for Graphviz. A vacant place has a dashed border, a presented node a dashed
    /// edge.
    var dot: String {
        var lines = [
            "digraph cascade {",
            "  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];",
            "  edge [dir=none];",
        ]
        for (place, node) in nodes.enumerated() {
            let label = node.lines.map(Self.dotEscaped).joined(separator: "\\n")
            let border = node.state == .vacant ? ", style=\"rounded,dashed\"" : ""
            lines.append(
                "  n\(place) [label=\"\(label)\", fillcolor=\"\(node.state.fill)\"\(border)];")
        }
        for (place, node) in nodes.enumerated() {
            if let parent = node.parent {
                let style = node.isPresented ? ", style=dashed" : ""
                lines.append("  n\(parent) -> n\(place) [penwidth=\(node.weight)\(style)];")
            }
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private static func dotEscaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}
