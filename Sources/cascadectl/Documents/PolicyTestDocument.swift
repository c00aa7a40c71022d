// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The decision of a policy test.
struct PolicyTestDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    private var isAllowed: Bool {
        json["allowed"]?.bool ?? false
    }

    var status: ExitStatus {
        isAllowed ? .done : .negative
    }

    func text(_ style: Style) -> String {
        let verdict = isAllowed ? "allowed" : "denied"
        let path = json["path"]?.string ?? ""
        let verb = json["verb"]?.string ?? ""
        return "\(verb) \(path): \(verdict)".safeForTerminal + "\n"
            + (json["why"]?.string ?? "").safeForTerminal
    }
}
