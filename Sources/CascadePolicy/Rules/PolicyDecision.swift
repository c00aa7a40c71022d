// SPDX-License-Identifier: Apache-2.0

/// The decision of a policy, with the rule that decided.
package struct PolicyDecision: Sendable {
    package let isAllowed: Bool
    /// The deciding rule; `nil` if no rule allows the action, which denies it.
    package let rule: PolicyRule?
    /// The reason why there is no valid policy, if so.
    let fault: String?

    /// The reason for a denial, as the end of a sentence.
    package var reason: String {
        rule.map { "denied by \($0)" } ?? fault ?? "no rule of the policy allows it"
    }
}
