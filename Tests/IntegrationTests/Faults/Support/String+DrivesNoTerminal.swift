// SPDX-License-Identifier: Apache-2.0

extension String {
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
