// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// The text as it may be shown on a terminal or in a log: whatever is not printable ASCII is
    /// written as `\u{…}`, and what exceeds `limit` characters is cut with an ellipsis.
    ///
    /// Text of peers is hostile until proven otherwise: control characters drive terminals, and
    /// bidirectional or combining characters make one name look like another.
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
