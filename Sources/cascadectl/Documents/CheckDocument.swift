// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The findings about the declarations in the tree.
struct CheckDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    private var findings: [JSONValue] {
        json["findings"]?.elements ?? []
    }

    var status: ExitStatus {
        findings.isEmpty ? .done : .negative
    }

    func text(_ style: Style) -> String {
        guard !findings.isEmpty else {
            return style.apply(.green, "no findings")
        }
        var table = Table(["KIND", "PATH", "NAME", "MESSAGE"])
        for finding in findings {
            table.append([
                Cell(finding["kind"]?.string ?? "", .yellow),
                Cell(finding["path"]?.string ?? ""),
                Cell(finding["name"]?.string ?? ""),
                Cell(finding["message"]?.string ?? ""),
            ])
        }
        return table.text(style)
    }

    /// The line in the format of Nagios plugins, with the number of findings as performance data.
    var nagiosLine: String {
        let count = "findings=\(findings.count)"
        guard !findings.isEmpty else {
            return "OK - no findings about the declarations | \(count)"
        }
        let words = findings.map { finding in
            let message = finding["message"]?.string ?? finding["kind"]?.string ?? ""
            // The text after a bar is performance data.
            return message.replacing("|", with: "/").safeForTerminal
        }
        return "WARNING - \(words.joined(separator: "; ")) | \(count)"
    }
}
