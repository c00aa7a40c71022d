// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// A round trip to the bus.
struct PingDocument: Document {
    let bus: String
    let microseconds: UInt32

    var json: JSONValue {
        .document("ping", ["bus": .string(bus), "microseconds": .integer(microseconds)])
    }

    func text(_ style: Style) -> String {
        "\(bus.safeForTerminal) answered in \(Age.milliseconds(microseconds))"
    }
}
