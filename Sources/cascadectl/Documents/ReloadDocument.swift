// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// That a daemon was told to read its files again.
struct ReloadDocument: Document {
    let processID: Int32

    var json: JSONValue {
        .document("reload", ["pid": .integer(processID)])
    }

    func text(_ style: Style) -> String {
        "the daemon, process \(processID), was told to reload; its log says what came of it"
    }
}
