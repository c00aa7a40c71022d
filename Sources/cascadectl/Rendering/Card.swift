// SPDX-License-Identifier: Apache-2.0

import Cascade

/// A title with named values below it.
struct Card {
    private let title: String
    private var facts = Table([], indent: "  ")

    init(title: String) {
        self.title = title
    }

    /// Adds a value, unless it is `nil`.
    mutating func add(_ name: String, _ value: String?) {
        if let value {
            facts.append([Cell(name, .dim), Cell(value)])
        }
    }

    mutating func add(_ name: String, _ numbers: [NamedNumber]) {
        add(name, numbers.map { "\($0.name) \($0.value)" })
    }

    /// Adds several lines. The name is before the first line only.
    mutating func add(_ name: String, _ lines: [String]) {
        var shown = name
        for line in lines {
            facts.append([Cell(shown, .dim), Cell(line)])
            shown = ""
        }
    }

    /// Returns the text, without a line feed at the end.
    func text(_ style: Style) -> String {
        style.apply(.bold, title.safeForTerminal) + "\n" + facts.text(style)
    }
}
