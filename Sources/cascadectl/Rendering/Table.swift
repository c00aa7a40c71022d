// SPDX-License-Identifier: Apache-2.0

import Cascade

/// The form of text for terminals.
struct Style: Sendable {
    /// Whether text gets colours; if not, `apply` returns it unchanged.
    let isColoured: Bool
    /// The columns of the terminal; `nil` for a file or a pipe, whose lines have any length.
    var width: Int?

    enum Colour: String, Sendable {
        case plain = ""
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    func apply(_ colour: Colour, _ text: String) -> String {
        guard isColoured, colour != .plain, !text.isEmpty else {
            return text
        }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }
}

/// A cell of a table, escaped for terminals.
struct Cell: Sendable {
    let text: String
    let colour: Style.Colour

    init(_ text: String, _ colour: Style.Colour = .plain) {
        self.text = text.safeForTerminal
        self.colour = colour
    }
}

/// A table of aligned columns without borders. Columns without text are left out. On a terminal the
/// rows fit its width: the widest cells are shortened or wrapped.
struct Table {
    private let headings: [String]
    private let indent: String
    /// The columns whose cells are never shortened.
    private let whole: Set<Int>
    /// The columns whose long cells continue on further lines.
    private let wrapping: Set<Int>
    private var rows: [[Cell]] = []

    private static let gap = "  "

    /// Creates a table; without headings if the array is empty.
    ///
    /// - Parameters:
    ///   - whole: The columns whose cells are never shortened, such as IDs that a reader copies.
    ///   - wrapping: The columns whose long cells continue on further lines, such as sentences.
    init(
        _ headings: [String], indent: String = "", whole: Set<Int> = [], wrapping: Set<Int> = []
    ) {
        self.headings = headings
        self.indent = indent
        self.whole = whole
        self.wrapping = wrapping
    }

    mutating func append(_ row: [Cell]) {
        rows.append(row)
    }

    /// Returns the text, without a line feed at the end.
    func text(_ style: Style) -> String {
        let columns = rows.first?.indices.filter { column in
            rows.contains { !$0[column].text.isEmpty }
        }
        guard let columns else {
            return ""
        }
        var all = rows
        if !headings.isEmpty {
            all.insert(headings.map { Cell($0, .dim) }, at: 0)
        }
        var widths = columns.map { column in all.map { $0[column].text.columnCount }.max() ?? 0 }
        if let width = style.width {
            let gaps = indent.count + Self.gap.count * (columns.count - 1)
            let whole = Set(columns.indices.filter { self.whole.contains(columns[$0]) })
            widths = ColumnFit.widths(widths, keeping: whole, within: width - gaps)
        }
        return all.flatMap { row in
            lines(columns.map { row[$0] }, columns, widths, style)
        }.joined(separator: "\n")
    }

    /// Returns the lines of one row: several if a cell is wrapped.
    private func lines(
        _ cells: [Cell], _ columns: [Int], _ widths: [Int], _ style: Style
    ) -> [String] {
        let parts = cells.indices.map { column in
            let text = cells[column].text
            return wrapping.contains(columns[column])
                ? text.wrapped(to: widths[column]) : [text.shortened(to: widths[column])]
        }
        let count = parts.map(\.count).max() ?? 0
        return (0..<count).map { index in
            let texts = parts.map { index < $0.count ? $0[index] : "" }
            return line(texts, cells.map(\.colour), widths, style)
        }
    }

    private func line(
        _ texts: [String], _ colours: [Style.Colour], _ widths: [Int], _ style: Style
    ) -> String {
        let last = texts.lastIndex { !$0.isEmpty } ?? 0
        var line = indent
        for (column, text) in texts.enumerated() where column <= last {
            line += style.apply(colours[column], text)
            if column < last {
                line +=
                    String(repeating: " ", count: max(0, widths[column] - text.columnCount))
                    + Self.gap
            }
        }
        return line
    }
}

/// A title with named values below it.
struct Card {
    private let title: String
    private var rows = Table([], indent: "  ", whole: [0], wrapping: [1])

    init(title: String) {
        self.title = title
    }

    /// Adds a value, unless it is `nil`.
    mutating func add(_ name: String, _ value: String?) {
        if let value {
            rows.append([Cell(name, .dim), Cell(value)])
        }
    }

    mutating func add(_ name: String, _ numbers: [NamedNumber]) {
        add(name, numbers.map { "\($0.name) \($0.value)" })
    }

    /// Adds several lines. Only the first one has the name.
    mutating func add(_ name: String, _ lines: [String]) {
        var shown = name
        for line in lines {
            rows.append([Cell(shown, .dim), Cell(line)])
            shown = ""
        }
    }

    /// Returns the text, without a line feed at the end.
    func text(_ style: Style) -> String {
        style.apply(.bold, title.safeForTerminal) + "\n" + rows.text(style)
    }
}
