// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension TreePicture {
    private static let lineHeight = 16
    private static let characterWidth = 8
    private static let padding = 10
    private static let gap = 24
    private static let levelGap = 44

    /// The drawing as an SVG image: one height for each level, each parent centred above its
    /// children.
    var svg: String {
        let widths = nodes.map(Self.width)
        let centers = TidyTree(
            parents: nodes.map(\.parent), depths: nodes.map(\.depth), widths: widths, gap: Self.gap
        ).centers
        let linesMax = nodes.map(\.lines.count).max() ?? 1
        let boxHeight = linesMax * Self.lineHeight + Self.padding
        let tops = nodes.map { Self.gap + $0.depth * (boxHeight + Self.levelGap) }
        let width = (zip(centers, widths).map { $0 + $1 / 2 }.max() ?? 0) + Self.gap
        let height = (tops.max() ?? 0) + boxHeight + Self.gap
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\" "
                + "viewBox=\"0 0 \(width) \(height)\" font-family=\"sans-serif\" "
                + "font-size=\"13\" text-anchor=\"middle\">"
        ]
        for (place, node) in nodes.enumerated() {
            if let parent = node.parent {
                let dashes = node.isPresented ? " stroke-dasharray=\"4\"" : ""
                lines.append(
                    "  <path d=\"M\(centers[parent]) \(tops[parent] + boxHeight) "
                        + "L\(centers[place]) \(tops[place])\" fill=\"none\" stroke=\"#888\" "
                        + "stroke-width=\"\(node.weight)\"\(dashes)/>")
            }
        }
        for place in nodes.indices {
            lines += box(place, centers[place], tops[place], widths[place], boxHeight)
        }
        return (lines + ["</svg>"]).joined(separator: "\n")
    }

    private static func width(of node: Node) -> Int {
        (node.lines.map(\.count).max() ?? 0) * characterWidth + 2 * padding
    }

    private func box(
        _ place: Int, _ center: Int, _ top: Int, _ width: Int, _ height: Int
    ) -> [String] {
        let node = nodes[place]
        let dashes = node.state == .vacant ? " stroke-dasharray=\"4\"" : ""
        let box =
            "  <rect x=\"\(center - width / 2)\" y=\"\(top)\" width=\"\(width)\" "
            + "height=\"\(height)\" rx=\"6\" fill=\"\(node.state.fill)\" stroke=\"#666\"\(dashes)/>"
        let first = top + (height - node.lines.count * Self.lineHeight) / 2 + 12
        return [box]
            + node.lines.enumerated().map { index, line in
                "  <text x=\"\(center)\" y=\"\(first + index * Self.lineHeight)\">"
                    + "\(Self.escaped(line))</text>"
            }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}
