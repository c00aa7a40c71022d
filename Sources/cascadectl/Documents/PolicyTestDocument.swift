// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What policy says to something.
struct PolicyTestDocument: Document {
    /// As the bus has made it.
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
