// SPDX-License-Identifier: Apache-2.0

/// Suggestions for misspelt names.
package enum NearestName {
    /// Longer texts are not compared: they are no misspelt names.
    private static let byteCountMax = 128

    /// The name with the smallest edit distance to `text`; `nil` if that is large.
    package static func of(_ text: String, among names: [String]) -> String? {
        guard text.utf8.count <= byteCountMax else {
            return nil
        }
        let wanted = Array(text.lowercased())
        let ranked = names.map { (name: $0, distance: distance(wanted, Array($0.lowercased()))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }),
            best.distance <= max(2, wanted.count / 3)
        else {
            return nil
        }
        return best.name
    }

    /// The number of inserted, removed, replaced or transposed letters (optimal string alignment).
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var rows = [Array(0...right.count)]
        for (row, character) in left.enumerated() {
            var next = [row + 1]
            for (column, other) in right.enumerated() {
                var best = min(
                    rows[row][column + 1] + 1, next[column] + 1,
                    rows[row][column] + (character == other ? 0 : 1))
                if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
                    best = min(best, rows[row - 1][column - 1] + 1)
                }
                next.append(best)
            }
            rows.append(next)
        }
        return rows[left.count][right.count]
    }
}
