// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The route of an event: the responders that would be asked, in order, and those that would not.
struct RouteDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    private var responders: [JSONValue] {
        json["responders"]?.elements ?? []
    }

    /// The exit status; `negative` if no responder would be asked.
    var status: ExitStatus {
        responders.contains { $0["asked"]?.bool == true } ? .done : .negative
    }

    func text(_ style: Style) -> String {
        guard !responders.isEmpty else {
            return "no responder would be asked"
        }
        var table = Table(["PATH", "RESPONDER", "", "ASKED", "WHY"])
        for responder in responders {
            let isAsked = responder["asked"]?.bool == true
            table.append([
                Cell(responder["path"]?.string ?? ""),
                Cell(responder["responder"]?.plainText ?? ""),
                Cell("\(responder["kind"]?.string ?? "") \(responder["name"]?.string ?? "")"),
                Cell(isAsked ? "yes" : "no", isAsked ? .green : .dim),
                Cell(responder["why"]?.string ?? ""),
            ])
        }
        return table.text(style)
    }
}
