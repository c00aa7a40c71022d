// SPDX-License-Identifier: Apache-2.0

/// The name of an event or publication, valid by construction.
public struct EventName: Hashable, Sendable, CustomStringConvertible {
    /// The name as text.
    public let description: String

    /// Throws ``NameError``, quoting the offence, if `name` breaks the rule for names.
    package init(_ name: some StringProtocol) throws(NameError) {
        try NameRule.check(name, as: "the name")
        description = String(name)
    }

    /// What the names begin with that only the bus itself may raise.
    package static let reservedPrefix = "cascade."

    /// Whether only the bus itself may raise it.
    package var isReserved: Bool {
        description.utf8.starts(with: Self.reservedPrefix.utf8)
    }

    /// For names that the code itself spells.
    package init(unchecked name: String) {
        description = name
    }
}
