// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Whether a terminal only shows it: lines of text, without control characters and without
    /// marks that turn the direction of writing.
    var drivesNoTerminal: Bool {
        unicodeScalars.allSatisfy { scalar in
            scalar == "\n"
                || scalar.properties.generalCategory != .control
                    && scalar.properties.generalCategory != .format
        }
    }
}
