// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The state that was waited for.
struct WaitDocument: Document {
    let path: NodePath
    let state: WaitedState

    var json: JSONValue {
        .document("wait", ["path": .text(path), "state": .string(state.rawValue)])
    }

    func text(_ style: Style) -> String {
        "\(path) is \(state.rawValue)"
    }
}
