// SPDX-License-Identifier: Apache-2.0

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
        for (place, parent) in parents.enumerated() {
            if let parent {
                children[parent].append(place)
            }
        }
        /// The horizontal distance of each node from its parent.
        var offsets = Array(repeating: 0, count: parents.count)
        var outlines: [Outline] = Array(repeating: Outline(), count: parents.count)
        // Children follow their parents, so in reverse order each child precedes its parent.
        for place in parents.indices.reversed() {
            var placed = Outline()
            var shifts: [Int] = []
            for child in children[place] {
                let shift = placed.distance(to: outlines[child], gap: gap)
                placed.add(outlines[child], shiftedBy: shift)
                outlines[child] = Outline()
                shifts.append(shift)
            }
            let middle = ((shifts.first ?? 0) + (shifts.last ?? 0)) / 2
            for (child, shift) in zip(children[place], shifts) {
                offsets[child] = shift - middle
            }
            placed.shift(by: -middle)
            placed.put(widths[place] / 2 + widths[place] % 2, at: depths[place])
            outlines[place] = placed
        }
        var centers = offsets
        for (place, parent) in parents.enumerated() {
            centers[place] += parent.map { centers[$0] } ?? 0
        }
        let left = zip(centers, widths).map { $0 - $1 / 2 - $1 % 2 }.min() ?? 0
        self.centers = centers.map { $0 - left + gap }
    }

    /// The extent of a subtree to both sides of its root, for each level.
    private struct Outline {
        private var left: [Int: Int] = [:]
        private var right: [Int: Int] = [:]

        /// Returns the distance by which another outline must be shifted to fit to the right.
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
