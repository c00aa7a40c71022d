// SPDX-License-Identifier: Apache-2.0

/// What a policy says to something, and which rule said it.
package struct PolicyDecision: Sendable {
    package let isAllowed: Bool
    /// `nil` if no rule allows it, which is a no as well.
    package let rule: PolicyRule?
    /// Why no rule can.
    let fault: String?

    /// Why it is not allowed, as the end of a sentence.
    package var reason: String {
        rule.map { "denied by \($0)" } ?? fault ?? "no rule of the policy allows it"
    }
}
