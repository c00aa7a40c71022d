// SPDX-License-Identifier: Apache-2.0

/// A set of verbs.
package struct PolicyVerbs: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package init(_ verb: PolicyVerb) {
        rawValue = 1 << verb.rawValue
    }

    /// All verbs.
    package static let all = PolicyVerbs(
        PolicyVerb.allCases.map { PolicyVerbs($0) })

    package func contains(_ verb: PolicyVerb) -> Bool {
        rawValue & 1 << verb.rawValue != 0
    }

    /// The verbs of the set, in the order of their declaration.
    package var each: [PolicyVerb] {
        PolicyVerb.allCases.filter { contains($0) }
    }
}
