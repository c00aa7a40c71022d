// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What is wrong with the declarations, on the one line that a monitoring system reads.
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
