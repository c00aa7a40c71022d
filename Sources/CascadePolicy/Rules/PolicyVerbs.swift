// SPDX-License-Identifier: Apache-2.0

/// Several verbs at once.
package struct PolicyVerbs: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package init(_ verb: PolicyVerb) {
        rawValue = 1 << verb.rawValue
    }

    package static let all = PolicyVerbs(
        PolicyVerb.allCases.map { PolicyVerbs($0) })

    package func contains(_ verb: PolicyVerb) -> Bool {
        rawValue & 1 << verb.rawValue != 0
    }

    /// Each of them, in the order in which they are declared.
    package var each: [PolicyVerb] {
        PolicyVerb.allCases.filter { contains($0) }
    }
}
