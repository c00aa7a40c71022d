// SPDX-License-Identifier: Apache-2.0

import Cascade

/// The colouring of text for terminals.
struct Style: Sendable {
    /// Whether text gets colours; if not, `apply` returns it unchanged.
    let isColoured: Bool

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

/// A table of aligned columns without borders. Columns without text are left out.
struct Table {
    private let headings: [String]
    private let indent: String
    private var rows: [[Cell]] = []

    private static let gap = "  "

    /// Creates a table; without headings if the array is empty.
    init(_ headings: [String], indent: String = "") {
        self.headings = headings
        self.indent = indent
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
        let widths = columns.map { column in all.map { $0[column].text.count }.max() ?? 0 }
        return all.map { row in
            line(columns.map { row[$0] }, widths, style)
        }.joined(separator: "\n")
    }

    private func line(_ cells: [Cell], _ widths: [Int], _ style: Style) -> String {
        let last = cells.lastIndex { !$0.text.isEmpty } ?? 0
        var line = indent
        for (column, cell) in cells.enumerated() where column <= last {
            line += style.apply(cell.colour, cell.text)
            if column < last {
                line += String(repeating: " ", count: widths[column] - cell.text.count) + Self.gap
            }
        }
        return line
    }
}

/// A title with named values below it.
struct Card {
    private let title: String
    private var rows = Table([], indent: "  ")

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
