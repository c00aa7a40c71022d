// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The rules that decide which subject may use which verb at which path.
package struct Policy: Sendable {
    /// The rules: those of the default policy, then those of the files in their order.
    package let rules: [PolicyRule]
    /// The number of files that the rules were read from.
    package let fileCount: Int
    /// The reason why there is no valid policy, if so.
    private let fault: String?

    package init(_ rules: [PolicyRule], fileCount: Int = 0) {
        self.init(rules, fileCount: fileCount, fault: nil)
    }

    private init(_ rules: [PolicyRule], fileCount: Int, fault: String?) {
        self.rules = rules
        self.fileCount = fileCount
        self.fault = fault
    }

    /// The policy that allows everything to everyone, for a bus within one process.
    package static let open = Policy([
        PolicyRule(
            isAllowing: true, .all, .everything, .everyone, at: nil, text: "allow all / to everyone"
        )
    ])

    /// The policy that denies everything, for a bus without a valid policy.
    package static func closed(because fault: String) -> Policy {
        Policy([], fileCount: 0, fault: fault)
    }

    /// Returns the rules that concern an identity.
    package func rights(of identity: PolicyIdentity) -> PolicyRights {
        PolicyRights(rules.filter { $0.concerns(identity) }, fault: fault)
    }
}
