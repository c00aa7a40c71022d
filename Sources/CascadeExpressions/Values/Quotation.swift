// SPDX-License-Identifier: Apache-2.0

/// The quotation of foreign text, as a literal and in messages.
enum Quotation {
    /// Returns a string literal in double quotes that parses as `text`. Invisible characters, and
    /// those that change the direction of writing, are escaped.
    static func literal(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where isHidden(scalar): quoted += escaped(scalar)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Returns a fault for a message: at most 32 characters, printable ASCII only.
    static func shown(_ offence: some Sequence<Unicode.Scalar>) -> String {
        var shown = ""
        var count = 0
        for scalar in offence {
            guard count < 32 else {
                return shown + "…"
            }
            if scalar.isASCII, !isHidden(scalar) {
                shown.unicodeScalars.append(scalar)
            } else {
                shown += "\\u{" + String(scalar.value, radix: 16) + "}"
            }
            count += 1
        }
        return shown
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }

    /// Returns one JSON escape for each UTF-16 code unit.
    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        UTF16.encode(scalar).map { units in
            units.reduce(into: "") { escapes, unit in
                let digits = String(unit, radix: 16)
                escapes += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        } ?? ""
    }
}
