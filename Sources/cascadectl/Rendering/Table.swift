// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A cell of a table, escaped for terminals.
struct Cell: Sendable {
    let text: String
    let colour: Style.Colour

    init(_ text: String, _ colour: Style.Colour = .plain) {
        self.text = text.safeForTerminal
        self.colour = colour
    }
}

/// A table of aligned columns without boxes. Empty columns are left out.
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
        for (place, cell) in cells.enumerated() where place <= last {
            line += style.apply(cell.colour, cell.text)
            if place < last {
                line += String(repeating: " ", count: widths[place] - cell.text.count) + Self.gap
            }
        }
        return line
    }
}
