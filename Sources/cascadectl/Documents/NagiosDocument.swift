// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The findings about the declarations, as one line for a monitoring system.
struct NagiosDocument: Document {
    let check: CheckDocument

    var json: JSONValue {
        check.json
    }

    var status: ExitStatus {
        check.status
    }

    func text(_ style: Style) -> String {
        check.nagiosLine
    }
}
