// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The releases of the command line and the bus.
struct VersionDocument: Document {
    let release: String
    /// The welcome; `nil` if no bus can be reached.
    let welcome: Welcome?

    var json: JSONValue {
        .document(
            "version",
            [
                "release": .string(release),
                "protocol": .integer(ProtocolVersion.max),
                "bus": welcome.map { welcome in
                    .members([
                        "name": .string(welcome.bus),
                        "release": .string(welcome.release),
                        "pid": .integer(welcome.processID),
                        "protocol": .integer(welcome.version),
                    ])
                },
            ])
    }

    func text(_ style: Style) -> String {
        let own = "\(release), protocol \(ProtocolVersion.min) to \(ProtocolVersion.max)"
        guard let welcome else {
            return own
        }
        let bus =
            "\(welcome.release), protocol \(welcome.version), process \(welcome.processID), "
            + "at \(welcome.bus)"
        return own + "\n" + bus.safeForTerminal
    }
}
