// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// That a daemon has read its files again.
struct ReloadDocument: Document {
    let processID: Int32
    /// What it has read, as the daemon says.
    let message: String

    var json: JSONValue {
        .document("reload", ["pid": .integer(processID), "message": .string(message)])
    }

    func text(_ style: Style) -> String {
        "the daemon, process \(processID), has reloaded: \(message)"
    }
}
