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

    /// For names that the code itself spells.
    package init(unchecked name: String) {
        description = name
    }
}
