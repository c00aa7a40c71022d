// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The result of a reload.
struct ReloadDocument: Document {
    let processID: Int32
    /// The daemon's message about the files that it has read.
    let message: String

    var json: JSONValue {
        .document("reload", ["pid": .integer(processID), "message": .string(message)])
    }

    func text(_ style: Style) -> String {
        "the daemon, process \(processID), has reloaded: \(message)"
    }
}
