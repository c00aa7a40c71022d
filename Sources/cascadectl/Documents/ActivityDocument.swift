// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The result of an activation or deactivation.
struct ActivityDocument: Document {
    let path: NodePath
    let isActive: Bool

    var json: JSONValue {
        .document("activity", ["path": .text(path), "active": .bool(isActive)])
    }

    func text(_ style: Style) -> String {
        "\(path) is \(isActive ? "active" : "inactive")"
    }
}
