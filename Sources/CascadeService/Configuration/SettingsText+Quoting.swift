// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

/// The notation of values in a settings file.
extension SettingsText {
    /// Quotes a text that a reader of the file could take for other syntax.
    package static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                    || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || "/:._-".utf8.contains(byte)
            }
            && !text.hasPrefix("-") && !text.hasSuffix(":")
        guard !isPlain else {
            return text
        }
        return "\"" + text.unicodeScalars.map(escaped).joined() + "\""
    }

    /// Escapes characters that would control a terminal or an editor.
    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"", "\\": return "\\\(scalar)"
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        case _ where scalar.controlsTerminal:
            let (letter, digitCount) =
                scalar.value > 0xFFFF ? ("U", 8) : scalar.value > 0xFF ? ("u", 4) : ("x", 2)
            let digits = String(scalar.value, radix: 16, uppercase: true)
            let zeros = String(repeating: "0", count: digitCount - digits.utf8.count)
            return "\\\(letter)\(zeros)\(digits)"
        default: return "\(scalar)"
        }
    }
}
