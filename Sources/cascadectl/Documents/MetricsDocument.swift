// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The daemon's metrics: a text that other programs read as it is.
struct MetricsDocument: Document {
    /// As the bus has made it.
    let json: JSONValue

    func text(_ style: Style) -> String {
        let text = json["text"]?.string ?? ""
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
