// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// Which responders would be asked about an event, in order, and which not.
struct RouteDocument: Document {
    /// As the bus has made it.
    let json: JSONValue

    private var responders: [JSONValue] {
        json["responders"]?.elements ?? []
    }

    /// That nobody would be asked is a negative answer.
    var status: ExitStatus {
        responders.contains { $0["asked"]?.bool == true } ? .done : .negative
    }

    func text(_ style: Style) -> String {
        guard !responders.isEmpty else {
            return "nobody would be asked"
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
