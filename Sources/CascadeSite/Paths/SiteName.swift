// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The name of a site or of a realm, valid by construction.
///
/// A name matches `[A-Za-z0-9_][A-Za-z0-9_-]*` and has at most ``byteCountMax`` bytes. It is one token
/// of a NATS subject and, with a `:` after it, one component of a path.
package struct SiteName: Hashable, Sendable, CustomStringConvertible {
    /// The longest name, in bytes.
    package static let byteCountMax = 63

    /// The name as text.
    package let description: String

    /// Throws ``SiteNameError``, which quotes `text`, unless `text` is a valid name.
    package init(_ text: some StringProtocol) throws(SiteNameError) {
        guard Self.isValid(text) else {
            throw SiteNameError(quoting: text)
        }
        description = String(text)
    }

    private static func isValid(_ text: some StringProtocol) -> Bool {
        guard (1...byteCountMax).contains(text.utf8.count), text.utf8.first != hyphen else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), hyphen:
                true
            default:
                false
            }
        }
    }

    private static let hyphen = UInt8(ascii: "-")
}

extension SiteName: ExpressibleByStringLiteral {
    /// Creates a name from a literal of the program. An invalid literal stops the program.
    package init(stringLiteral text: String) {
        do {
            try self.init(text)
        } catch {
            preconditionFailure(error.description)
        }
    }
}

/// The reason why a text is not the name of a site or realm. It quotes the text, escaped.
package struct SiteNameError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(quoting text: some StringProtocol) {
        description =
            "the name '\(text.escapedForDisplay())' of a site or realm is not valid: 1 to "
            + "\(SiteName.byteCountMax) letters, digits, _ and - are allowed, not beginning with -"
    }
}
