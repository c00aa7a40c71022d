// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A line of words with two spaces between them, which fits the width of a terminal.
package struct WordLine {
    /// How a word is shortened where the line does not fit.
    package enum Shortening: Sendable {
        case never
        /// Left out, before any other word is shortened.
        case leftOut
        /// In the middle, before all words but those that are left out. For IDs: their ends differ.
        case first
        /// As ``first``, and left out where the line still does not fit.
        case spare
        /// In the middle, as paths are: their ends differ.
        case middle
        /// At the end.
        case end
    }

    /// A word, escaped for terminals, and its label, such as `by=`.
    package struct Word {
        let label: String
        var text: String
        let colour: Style.Colour
        let shortening: Shortening

        package init(_ text: String, label: String = "", shortening: Shortening) {
            self.init(text, .plain, label: label, shortening: shortening)
        }

        init(
            _ text: String, _ colour: Style.Colour = .plain, label: String = "",
            shortening: Shortening
        ) {
            self.label = label.safeForTerminal
            self.text = text.safeForTerminal
            self.colour = colour
            self.shortening = shortening
        }

        var columnCount: Int {
            label.columnCount + text.columnCount
        }

        /// Shortens the word to `columns`, of which the label takes its own.
        mutating func shorten(to columns: Int) {
            let columns = max(columns - label.columnCount, 1)
            text =
                shortening == .end
                ? text.shortened(to: columns) : text.shortenedInMiddle(to: columns)
        }
    }

    private static let gap = "  "
    /// The steps by which a line is shortened before all its words are: the words that are left out,
    /// and the least columns of those that are shortened first.
    private static let steps: [(leftOut: [Shortening], least: Int)] = [
        ([.leftOut], 10), ([.leftOut, .spare], 10), ([.leftOut, .spare], 6),
    ]

    private var words: [Word]

    package init(_ words: [Word]) {
        self.words = words
    }

    mutating func append(_ word: Word) {
        words.append(word)
    }

    /// Returns the text, without a line feed at the end. Without a width of the style it has all words
    /// as they are.
    func text(_ style: Style) -> String {
        guard let width = style.width, columnCount > width else {
            return joined(style)
        }
        // Shortened words do not fit a terminal of very few columns either.
        return ScreenText.cut(fitted(to: width).joined(style), to: width)
    }

    /// Returns the text without colours, on a terminal of `width` columns.
    package func text(width: Int?) -> String {
        text(Style(isColoured: false, width: width))
    }

    private var columnCount: Int {
        words.reduce(0) { $0 + $1.columnCount } + Self.gap.count * max(words.count - 1, 0)
    }

    private func joined(_ style: Style) -> String {
        words.map { style.apply(.dim, $0.label) + style.apply($0.colour, $0.text) }
            .joined(separator: Self.gap)
    }

    /// Returns the line with words shortened until it fits, if that is possible.
    private func fitted(to width: Int) -> WordLine {
        var line = self
        for step in Self.steps where line.columnCount > width {
            line = WordLine(words.filter { !step.leftOut.contains($0.shortening) })
            for index in line.words.indices
            where [.first, .spare].contains(line.words[index].shortening) {
                let word = line.words[index]
                let excess = max(line.columnCount - width, 0)
                line.words[index].shorten(
                    to: max(word.columnCount - excess, step.least + word.label.columnCount))
            }
        }
        let gaps = Self.gap.count * (line.words.count - 1)
        let whole = line.words.indices.filter {
            [.never, .first].contains(line.words[$0].shortening)
        }
        let widths = ColumnFit.widths(
            line.words.map(\.columnCount), keeping: Set(whole), within: width - gaps)
        for index in widths.indices where widths[index] < line.words[index].columnCount {
            line.words[index].shorten(to: widths[index])
        }
        return line
    }
}
