// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What is wrong with the declarations in the tree.
struct CheckDocument: Document {
    /// As the bus has made it.
    let json: JSONValue

    private var findings: [JSONValue] {
        json["findings"]?.elements ?? []
    }

    var status: ExitStatus {
        findings.isEmpty ? .done : .negative
    }

    func text(_ style: Style) -> String {
        guard !findings.isEmpty else {
            return style.apply(.green, "nothing is wrong")
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

    /// One line, as the plug-ins of Nagios write it, with the number of findings for its graphs.
    var nagiosLine: String {
        let count = "findings=\(findings.count)"
        guard !findings.isEmpty else {
            return "OK - nothing is wrong with the declarations | \(count)"
        }
        let words = findings.map { finding in
            let message = finding["message"]?.string ?? finding["kind"]?.string ?? ""
            // What stands behind a bar is numbers.
            return message.replacing("|", with: "/").safeForTerminal
        }
        return "WARNING - \(words.joined(separator: "; ")) | \(count)"
    }
}
