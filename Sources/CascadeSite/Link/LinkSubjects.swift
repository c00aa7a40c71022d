// SPDX-License-Identifier: Apache-2.0

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
