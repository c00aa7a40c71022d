// SPDX-License-Identifier: Apache-2.0

import Testing

/// Output of commands.
extension String {
    /// The event ID in a line of `cascadectl attach`.
    func eventID() throws -> String {
        let id = split(separator: "\"id\":\"").last?.split(separator: "\"").first
        return try String(#require(id))
    }

    /// Whether the text is harmless on a terminal: lines without control characters and without
    /// marks that change the direction of writing.
    var drivesNoTerminal: Bool {
        unicodeScalars.allSatisfy { scalar in
            scalar == "\n"
                || scalar.properties.generalCategory != .control
                    && scalar.properties.generalCategory != .format
        }
    }
}
