// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The daemon's metrics, as text for other programs.
struct MetricsDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    func text(_ style: Style) -> String {
        let text = json["text"]?.string ?? ""
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
