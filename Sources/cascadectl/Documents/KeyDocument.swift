// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// A new key pair: the public key, and the file with both.
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
