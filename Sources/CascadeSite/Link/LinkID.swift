// SPDX-License-Identifier: Apache-2.0

/// The number of one link, which the child draws at random for each link that it opens.
///
/// It is the epoch of the link's messages: it is a token of their subjects, so a message of an earlier
/// link is never taken for one of the current link.
package struct LinkID: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Creates the number that ``description`` wrote; `nil` for any other text.
    package init?(_ text: some StringProtocol) {
        let isHexadecimal = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
            default: false
            }
        }
        guard text.utf8.count == 16, isHexadecimal, let number = UInt64(text, radix: 16) else {
            return nil
        }
        rawValue = number
    }

    /// 16 hexadecimal digits in lower case.
    package var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The last token of a subject: the opening, or the link that a message belongs to.
package enum LinkAddress: Hashable, Sendable {
    /// The opening of links, and its answers.
    case open
    case link(LinkID)

    var token: String {
        switch self {
        case .open: "open"
        case .link(let link): link.description
        }
    }

    init?(token: some StringProtocol) {
        if token == "open" {
            self = .open
        } else if let link = LinkID(token) {
            self = .link(link)
        } else {
            return nil
        }
    }
}
