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

// MARK: - Subjects

/// The subjects between the parent and its children in a realm.
///
/// Each token is a name that has no `.`, `*` or `>` by construction. Two patterns for each child are all
/// the permissions that it needs, because answers go to the subjects of the child too, and never to an
/// inbox or to the reply subject of a message.
package struct LinkSubjects: Equatable, Sendable {
    private let up: String
    private let down: String
    private let parent: SiteName

    package init(realm: SiteName, parent: SiteName) {
        up = "cascade.\(realm).up.\(parent)."
        down = "cascade.\(realm).down."
        self.parent = parent
    }

    /// The subject to which the child sends.
    package func up(_ child: SiteName, _ address: LinkAddress) -> String {
        "\(up)\(child).\(address.token)"
    }

    /// The subject to which the gate sends.
    package func down(_ child: SiteName, _ address: LinkAddress) -> String {
        "\(down)\(child).\(parent).\(address.token)"
    }

    /// The pattern of the subjects to which the child may publish.
    package func upPattern(of child: SiteName) -> String {
        "\(up)\(child).>"
    }

    /// The pattern of the subjects to which the child may subscribe.
    package func downPattern(of child: SiteName) -> String {
        "\(down)\(child).\(parent).>"
    }

    /// The pattern of the subjects to which the gate subscribes.
    package var upPattern: String {
        "\(up)>"
    }

    /// The pattern of the subjects to which the gate may publish.
    package var downPattern: String {
        "\(down)*.\(parent).>"
    }

    /// Returns the child and the address of a subject that a child sends to; `nil` for any other subject.
    package func parse(up subject: some StringProtocol) -> (child: SiteName, address: LinkAddress)?
    {
        let tokens = subject.split(separator: ".", omittingEmptySubsequences: false).suffix(2)
        guard let first = tokens.first, let last = tokens.last, let child = try? SiteName(first),
            let address = LinkAddress(token: last), subject == up(child, address)
        else {
            return nil
        }
        return (child, address)
    }

    /// Returns the address of a subject that the gate sends to `child`; `nil` for any other subject.
    package func parse(down subject: some StringProtocol, to child: SiteName) -> LinkAddress? {
        guard let token = subject.split(separator: ".").last,
            let address = LinkAddress(token: token), subject == down(child, address)
        else {
            return nil
        }
        return address
    }
}
