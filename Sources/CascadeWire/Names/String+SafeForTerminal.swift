// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text with everything escaped that could drive a terminal or turn the direction of
    /// writing. Text of other processes is shown no other way.
    package var safeForTerminal: String {
        unicodeScalars.reduce(into: "") { shown, scalar in
            if scalar.drivesTerminal {
                shown += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is a control or formatting character rather than one to be seen.
    package var drivesTerminal: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }
}
