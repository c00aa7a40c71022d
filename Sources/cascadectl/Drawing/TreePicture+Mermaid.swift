// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension TreePicture {
    /// The drawing for Mermaid. A vacant place has a dashed border, a presented node a dashed edge.
    var mermaid: String {
        var lines = ["flowchart TD"]
        for (place, node) in nodes.enumerated() {
            let label = node.lines.joined(separator: "<br/>").replacing("\"", with: "#quot;")
            lines.append("  n\(place)[\"\(label)\"]")
        }
        var edges = 0
        for (place, node) in nodes.enumerated() {
            if let parent = node.parent {
                lines.append("  n\(parent) \(node.isPresented ? "-.-" : "---") n\(place)")
                if node.weight > 1 {
                    lines.append("  linkStyle \(edges) stroke-width:\(node.weight)px")
                }
                edges += 1
            }
        }
        for (place, node) in nodes.enumerated() {
            let border = node.state == .vacant ? ",stroke-dasharray:4" : ""
            lines.append("  style n\(place) fill:\(node.state.fill)\(border)")
        }
        return lines.joined(separator: "\n")
    }
}
