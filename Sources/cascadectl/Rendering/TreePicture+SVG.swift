// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension TreePicture {
    private static let lineHeight = 16
    private static let characterWidth = 8
    private static let padding = 10
    private static let gap = 24
    private static let levelGap = 44

    /// The drawing as an SVG image: boxes of one level have the same height, and parents are centred
    /// above their children.
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
        for (index, node) in nodes.enumerated() {
            if let parent = node.parent {
                let dashes = node.isPresented ? " stroke-dasharray=\"4\"" : ""
                lines.append(
                    "  <path d=\"M\(centers[parent]) \(tops[parent] + boxHeight) "
                        + "L\(centers[index]) \(tops[index])\" fill=\"none\" stroke=\"#888\" "
                        + "stroke-width=\"\(node.weight)\"\(dashes)/>")
            }
        }
        for index in nodes.indices {
            lines += box(index, centers[index], tops[index], widths[index], boxHeight)
        }
        return (lines + ["</svg>"]).joined(separator: "\n")
    }

    private static func width(of node: Node) -> Int {
        (node.lines.map(\.count).max() ?? 0) * characterWidth + 2 * padding
    }

    private func box(
        _ index: Int, _ center: Int, _ top: Int, _ width: Int, _ height: Int
    ) -> [String] {
        let node = nodes[index]
        let dashes = node.state == .vacant ? " stroke-dasharray=\"4\"" : ""
        let box =
            "  <rect x=\"\(center - width / 2)\" y=\"\(top)\" width=\"\(width)\" "
            + "height=\"\(height)\" rx=\"6\" fill=\"\(node.state.fill)\" stroke=\"#666\"\(dashes)/>"
        let first = top + (height - node.lines.count * Self.lineHeight) / 2 + 12
        return [box]
            + node.lines.enumerated().map { row, line in
                "  <text x=\"\(center)\" y=\"\(first + row * Self.lineHeight)\">"
                    + "\(Self.escaped(line))</text>"
            }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}

// MARK: - Layout

/// The layout of a tree: boxes do not overlap, parents are centred above their children, and the
/// drawing is as narrow as possible.
///
/// Each subtree is laid out separately and then shifted to the right of those before it, by the
/// least distance that separates their outlines on every level (Reingold and Tilford).
struct TidyTree {
    /// The centre of each box, from the left edge of the drawing.
    let centers: [Int]

    /// - Parameters:
    ///   - parents: The index of each node's parent, which precedes the node.
    ///   - depths: The level of each node.
    init(parents: [Int?], depths: [Int], widths: [Int], gap: Int) {
        var children: [[Int]] = Array(repeating: [], count: parents.count)
        for (index, parent) in parents.enumerated() {
            if let parent {
                children[parent].append(index)
            }
        }
        // The horizontal distance of each node from its parent.
        var offsets = Array(repeating: 0, count: parents.count)
        var outlines: [Outline] = Array(repeating: Outline(), count: parents.count)
        // In reverse order, all children of a node are laid out before it.
        for index in parents.indices.reversed() {
            var placed = Outline()
            var shifts: [Int] = []
            for child in children[index] {
                let shift = placed.distance(to: outlines[child], gap: gap)
                placed.add(outlines[child], shiftedBy: shift)
                outlines[child] = Outline()
                shifts.append(shift)
            }
            let middle = ((shifts.first ?? 0) + (shifts.last ?? 0)) / 2
            for (child, shift) in zip(children[index], shifts) {
                offsets[child] = shift - middle
            }
            placed.shift(by: -middle)
            placed.put(widths[index] / 2 + widths[index] % 2, at: depths[index])
            outlines[index] = placed
        }
        var centers = offsets
        for (index, parent) in parents.enumerated() {
            centers[index] += parent.map { centers[$0] } ?? 0
        }
        let left = zip(centers, widths).map { $0 - $1 / 2 - $1 % 2 }.min() ?? 0
        self.centers = centers.map { $0 - left + gap }
    }

    /// The extent of a subtree to the left and right of its root, for each level.
    private struct Outline {
        private var left: [Int: Int] = [:]
        private var right: [Int: Int] = [:]

        /// Returns the least distance by which another outline must be shifted to the right of this
        /// one.
        func distance(to other: Outline, gap: Int) -> Int {
            let distances = other.left.compactMap { level, left in
                right[level].map { $0 - left + gap }
            }
            return distances.max() ?? 0
        }

        mutating func add(_ other: Outline, shiftedBy shift: Int) {
            for (level, edge) in other.left {
                left[level] = min(left[level] ?? .max, edge + shift)
            }
            for (level, edge) in other.right {
                right[level] = max(right[level] ?? .min, edge + shift)
            }
        }

        mutating func shift(by distance: Int) {
            left = left.mapValues { $0 + distance }
            right = right.mapValues { $0 + distance }
        }

        mutating func put(_ halfWidth: Int, at level: Int) {
            left[level] = -halfWidth
            right[level] = halfWidth
        }
    }
}
