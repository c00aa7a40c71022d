// SPDX-License-Identifier: Apache-2.0

/// The one rule for event names and path components.
package enum NameRule {
    /// The longest name or path component, in bytes.
    package static let byteCountMax = 128

    /// The name that stands for every name where a responder is declared.
    package static let wildcard = "*"

    /// Throws, quoting the offence, unless `name` keeps the rule.
    package static func check(
        _ name: some StringProtocol, as what: @autoclosure () -> String
    ) throws(NameError) {
        guard !name.isEmpty else {
            throw NameError("\(what()) is empty")
        }
        guard name.utf8.count <= byteCountMax else {
            throw NameError(
                "\(what()) '\(name.escapedForDisplay())' has \(name.utf8.count) bytes, "
                    + "more than \(byteCountMax)")
        }
        guard isValid(name) else {
            throw NameError(
                "\(what()) '\(name.escapedForDisplay())' is not valid: letters, digits and "
                    + "_ . : - are allowed, beginning with a letter, a digit or _")
        }
    }

    private static func isValid(_ name: some StringProtocol) -> Bool {
        var isFirst = true
        for byte in name.utf8 {
            guard allows(byte, isFirst: isFirst) else {
                return false
            }
            isFirst = false
        }
        return true
    }

    /// Whether the rule allows a byte as the first, or as a later one.
    static func allows(_ byte: UInt8, isFirst: Bool) -> Bool {
        isLetterDigitOrUnderscore(byte) || (!isFirst && isInnerMark(byte))
    }

    private static func isLetterDigitOrUnderscore(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }

    private static func isInnerMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-")
    }
}
