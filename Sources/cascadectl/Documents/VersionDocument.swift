// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// Which releases talk to each other.
struct VersionDocument: Document {
    let release: String
    /// `nil` if there is no bus to ask.
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
