// SPDX-License-Identifier: Apache-2.0

import Cascade

/// A title, and facts below it.
struct Card {
    private let title: String
    private var facts = Table([], indent: "  ")

    init(title: String) {
        self.title = title
    }

    /// Leaves a fact out that has no value.
    mutating func add(_ name: String, _ value: String?) {
        if let value {
            facts.append([Cell(name, .dim), Cell(value)])
        }
    }

    mutating func add(_ name: String, _ numbers: [NamedNumber]) {
        add(name, numbers.map { "\($0.name) \($0.value)" })
    }

    /// The name stands before the first line alone.
    mutating func add(_ name: String, _ lines: [String]) {
        var shown = name
        for line in lines {
            facts.append([Cell(shown, .dim), Cell(line)])
            shown = ""
        }
    }

    /// Without a line break at the end.
    func text(_ style: Style) -> String {
        style.apply(.bold, title.safeForTerminal) + "\n" + facts.text(style)
    }
}
