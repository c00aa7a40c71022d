// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The value of a key at a node.
struct ValueDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    /// Returns the value alone.
    func text(_ style: Style) -> String {
        json["value"]?.text ?? ""
    }
}
