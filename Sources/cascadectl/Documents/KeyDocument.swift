// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// A pair of keys that was made: the public one, and where both are.
struct KeyDocument: Document {
    let name: String
    let publicKey: String
    let file: String

    var json: JSONValue {
        .document(
            "keygen",
            ["name": .string(name), "public": .string(publicKey), "file": .string(file)])
    }

    func text(_ style: Style) -> String {
        "\(name) \(publicKey)".safeForTerminal
    }
}
