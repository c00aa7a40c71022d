// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

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
