// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

/// How a message to a person quotes text of others.
enum Quotation {
    /// An offence as a message shows it: printable ASCII only, and not much of it.
    static func shown(_ offence: some Sequence<Unicode.Scalar>) -> String {
        var shown = ""
        var count = 0
        for scalar in offence {
            guard count < 32 else {
                return shown + "…"
            }
            if scalar.isASCII, !scalar.drivesTerminal {
                shown.unicodeScalars.append(scalar)
            } else {
                shown += "\\u{" + String(scalar.value, radix: 16) + "}"
            }
            count += 1
        }
        return shown
    }
}
