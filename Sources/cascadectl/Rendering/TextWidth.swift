// SPDX-License-Identifier: Apache-2.0

/// The columns that text takes on a terminal.
extension Character {
    /// 2 for wide characters, 0 for those without a width, and 1 for all others.
    ///
    /// Source: the ranges of East Asian Wide in Unicode's EastAsianWidth.txt, without single
    /// exceptions.
    var columnCount: Int {
        guard let scalar = unicodeScalars.first else {
            return 0
        }
        switch scalar.value {
        case 0..<0x20, 0x7F: return 0
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
            0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}

extension String {
    var columnCount: Int {
        reduce(0) { $0 + $1.columnCount }
    }

    /// Returns the text if it fits `columns`, else its beginning with an ellipsis.
    func shortened(to columns: Int) -> String {
        guard columnCount > columns else {
            return self
        }
        var result = ""
        var width = 1
        for character in self {
            width += character.columnCount
            guard width <= columns else {
                break
            }
            result.append(character)
        }
        return result + "…"
    }

    /// Returns the text if it fits `columns`, else its two ends with an ellipsis between them.
    func shortenedInMiddle(to columns: Int) -> String {
        guard columnCount > columns else {
            return self
        }
        let tailCount = columns / 2
        var tail = ""
        for character in reversed() {
            guard tail.columnCount + character.columnCount <= tailCount else {
                break
            }
            tail.insert(character, at: tail.startIndex)
        }
        return shortened(to: columns - tail.columnCount) + tail
    }

    /// Returns the text in lines that fit `columns`, broken at spaces where possible.
    func wrapped(to columns: Int) -> [String] {
        guard columnCount > columns else {
            return [self]
        }
        let columns = max(columns, 2)
        var lines: [String] = []
        var line = ""
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            let isFirst = line.isEmpty
            if !isFirst, line.columnCount + 1 + String(word).columnCount > columns {
                lines.append(line)
                line = ""
            } else if !isFirst {
                line += " "
            }
            for character in word {
                if line.columnCount + character.columnCount > columns {
                    lines.append(line)
                    line = ""
                }
                line.append(character)
            }
        }
        return lines + [line]
    }
}

/// The widths of a table's columns on a terminal.
package enum ColumnFit {
    /// The width below which no column is narrowed.
    private static let widthMin = 4

    /// Returns widths whose sum is at most `available`, if that is possible: the widest columns are
    /// narrowed, and all narrower ones stay as they are.
    ///
    /// - Parameter whole: The columns that are never narrowed.
    package static func widths(
        _ natural: [Int], keeping whole: Set<Int> = [], within available: Int
    ) -> [Int] {
        guard natural.reduce(0, +) > available else {
            return natural
        }
        let limits = widthMin...max(widthMin, natural.max() ?? 0)
        func narrowed(to limit: Int) -> [Int] {
            natural.enumerated().map { whole.contains($0) ? $1 : min($1, limit) }
        }
        let limit = limits.last { narrowed(to: $0).reduce(0, +) <= available } ?? widthMin
        var widths = narrowed(to: limit)
        var rest = available - widths.reduce(0, +)
        for column in widths.indices where rest > 0 && widths[column] < natural[column] {
            widths[column] += 1
            rest -= 1
        }
        return widths
    }
}
