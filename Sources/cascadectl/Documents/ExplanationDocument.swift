// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The candidates for the value of a key, in order.
struct ExplanationDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    /// The exit status; `absent` for a key without a value.
    var status: ExitStatus {
        json["value"] == nil ? .absent : .done
    }

    func text(_ style: Style) -> String {
        let value = json["value"].map { "is \($0.text)" } ?? "has no value"
        let key = style.apply(.bold, (json["key"]?.string ?? "").safeForTerminal)
        let title = "\(key) \(value) at \((json["at"]?.string ?? "").safeForTerminal)"
        let candidates = json["candidates"]?.elements ?? []
        guard !candidates.isEmpty else {
            return title
        }
        var table = Table(["", "KIND", "FROM", "VALUE", "WHY", "BY", "SINCE"], indent: "  ")
        for candidate in candidates {
            let hasWon = candidate["won"]?.bool == true
            table.append([
                Cell(hasWon ? "won" : "lost", hasWon ? .green : .dim),
                Cell(candidate["kind"]?.string ?? ""),
                Cell(candidate["from"]?.string ?? ""),
                Cell(candidate["value"]?.text ?? ""),
                Cell(candidate["why"]?.string ?? ""),
                Cell(candidate["by"]?.plainText ?? ""),
                Cell(candidate["since"]?.plainText ?? "", .dim),
            ])
        }
        return title + "\n" + table.text(style)
    }
}
