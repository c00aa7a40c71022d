// SPDX-License-Identifier: Apache-2.0

/// Suggestions for misspelt words.
package enum Spelling {
    /// The number of suggestions for one word.
    private static let countMax = 3
    /// A longer text is not a misspelt word, and is compared with none.
    private static let byteCountMax = 1_024

    /// Returns the candidates nearest to `word`, the nearest first; none if all of them differ too
    /// much. A candidate that differs only in case is the nearest, and one that begins with `word`
    /// is near.
    package static func nearest(
        to word: String, among candidates: some Sequence<String>
    ) -> [String] {
        guard word.utf8.count <= byteCountMax else {
            return []
        }
        let wanted = word.lowercased()
        var found: [(candidate: String, distance: Int)] = []
        for candidate in Set(candidates) where candidate != word {
            let lowercased = candidate.lowercased()
            let limit = max(1, min(wanted.count, lowercased.count) / 3)
            if let distance = distance(wanted, lowercased, limit: limit) {
                found.append((candidate, distance))
            } else if wanted.count >= 3, lowercased.hasPrefix(wanted) {
                found.append((candidate, limit))
            }
        }
        let least = found.map(\.distance).min() ?? 0
        return Array(
            found.filter { $0.distance == least }.map(\.candidate).sorted().prefix(countMax))
    }

    /// Returns the question after an error message: `; did you mean 'a' or 'b'?`. Empty without
    /// suggestions.
    package static func question(_ suggestions: [String]) -> String {
        guard let last = suggestions.last else {
            return ""
        }
        let quoted = suggestions.dropLast().map { "'\($0)'" }.joined(separator: ", ")
        return "; did you mean " + (quoted.isEmpty ? "" : quoted + " or ") + "'\(last)'?"
    }

    /// Returns the number of insertions, deletions, substitutions and transpositions of neighbours
    /// that turn one text into the other; `nil` if it exceeds `limit`.
    ///
    /// Source: optimal string alignment, the restricted Damerau-Levenshtein distance.
    package static func distance(_ left: String, _ right: String, limit: Int) -> Int? {
        let left = Array(left)
        let right = Array(right)
        guard abs(left.count - right.count) <= limit else {
            return nil
        }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                var least = min(
                    last[column] + (left[row] == right[column] ? 0 : 1),
                    last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            beforeLast = last
            last = current
        }
        return last[right.count] <= limit ? last[right.count] : nil
    }
}
