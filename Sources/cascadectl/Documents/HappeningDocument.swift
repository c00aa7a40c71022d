// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// A monitor event.
struct HappeningDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    private static let columns: Set = ["schema", "when", "kind", "what", "path", "name", "id"]

    func text(_ style: Style) -> String {
        // The date is left out, because lines appear as events occur.
        let time = (json["when"]?.string ?? "").drop { $0 != "T" }.dropFirst().prefix(15)
        var words = [style.apply(.dim, String(time))]
        for key in ["kind", "what", "path", "name", "id"] {
            if let word = json[key]?.plainText.safeForTerminal {
                words.append(key == "what" ? style.apply(.bold, word) : word)
            }
        }
        words += json.without(Self.columns).map { member in
            style.apply(.dim, "\(member.key)=".safeForTerminal)
                + member.value.plainText.safeForTerminal
        }
        return words.joined(separator: "  ")
    }
}
