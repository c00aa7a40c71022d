// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What a node reads under one key.
struct ValueDocument: Document {
    /// As the bus has made it.
    let json: JSONValue

    /// The value alone.
    func text(_ style: Style) -> String {
        json["value"]?.text ?? ""
    }
}
