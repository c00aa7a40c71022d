// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The result of clearing a retained publication.
struct ClearedDocument: Document {
    let name: EventName
    let path: NodePath

    var json: JSONValue {
        .document("cleared", ["path": .text(path), "name": .text(name)])
    }

    func text(_ style: Style) -> String {
        "\(name) is no longer retained at \(path)"
    }
}
