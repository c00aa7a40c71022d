// SPDX-License-Identifier: Apache-2.0

/// Where the boxes of a tree stand, so that none overlaps another, each parent is over the middle
/// of its children, and the picture is no wider than that takes.
///
/// Each subtree is laid out by itself and then pushed to the right of those before it, just so far
/// that their outlines keep their distance on every level (Reingold and Tilford).
struct TidyTree {
    /// The middle of each box, from the left edge of the picture.
    let centers: [Int]

    /// - Parameters:
    ///   - parents: of each node, the place of its parent, which stands before it.
    ///   - depths: of each node, its level.
    init(parents: [Int?], depths: [Int], widths: [Int], gap: Int) {
        var children: [[Int]] = Array(repeating: [], count: parents.count)
        for (place, parent) in parents.enumerated() {
            if let parent {
                children[parent].append(place)
            }
        }
        /// How far each node stands to the right of its parent.
        var offsets = Array(repeating: 0, count: parents.count)
        var outlines: [Outline] = Array(repeating: Outline(), count: parents.count)
        // Children stand behind their parents, so from the back each one comes before its parent.
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

    /// How far a subtree reaches to both sides of its uppermost node, level by level.
    private struct Outline {
        private var left: [Int: Int] = [:]
        private var right: [Int: Int] = [:]

        /// How far to the right another outline has to go to stand beside this one.
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
