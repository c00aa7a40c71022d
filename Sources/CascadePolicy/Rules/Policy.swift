// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// Who may do what where on a bus.
package struct Policy: Sendable {
    /// Those of the default policy first, then those of the files in their order.
    package let rules: [PolicyRule]
    /// How many files the rules were read from.
    package let fileCount: Int
    /// Why there are no rules, where there should be some.
    private let fault: String?

    package init(_ rules: [PolicyRule], fileCount: Int = 0) {
        self.init(rules, fileCount: fileCount, fault: nil)
    }

    private init(_ rules: [PolicyRule], fileCount: Int, fault: String?) {
        self.rules = rules
        self.fileCount = fileCount
        self.fault = fault
    }

    /// Everybody may do everything: for a bus within one process.
    package static let open = Policy([
        PolicyRule(
            isAllowing: true, .all, .everything, .everyone, at: nil, text: "allow all / to everyone"
        )
    ])

    /// Nobody may do anything, since there is no policy to go by.
    package static func closed(because fault: String) -> Policy {
        Policy([], fileCount: 0, fault: fault)
    }

    package func rights(of identity: PolicyIdentity) -> PolicyRights {
        PolicyRights(rules.filter { $0.concerns(identity) }, fault: fault)
    }
}
