// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

extension StringProtocol {
    /// Returns the text as it may be shown on a terminal or in a log: each character other than
    /// printable ASCII is written as `\u{…}`, and a text of more than `limit` characters is cut with an
    /// ellipsis.
    ///
    /// Text of peers may be hostile: control characters control a terminal, and bidirectional or
    /// combining characters make one name look like another.
    package func escapedForDisplay(limit: Int = 64) -> String {
        var shown = ""
        var count = 0
        for scalar in unicodeScalars {
            guard count < limit else {
                return shown + "…"
            }
            shown += scalar.escapedForDisplay
            count += 1
        }
        return shown
    }
}

extension Unicode.Scalar {
    fileprivate var escapedForDisplay: String {
        switch value {
        case 0x0A: "\\n"
        case 0x0D: "\\r"
        case 0x09: "\\t"
        case 0x5C: "\\\\"
        case 0x20...0x7E: String(self)
        default: "\\u{" + String(value, radix: 16) + "}"
        }
    }
}

extension String {
    /// The text with all characters escaped that control a terminal or change the direction of
    /// writing. Text of other processes is shown only in this form.
    package var safeForTerminal: String {
        unicodeScalars.reduce(into: "") { shown, scalar in
            if scalar.controlsTerminal {
                shown += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
    }
}
