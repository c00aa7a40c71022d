// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The rules of a policy for one identity.
///
/// The verbs that are allowed everywhere are computed in advance.
package struct PolicyRights: Sendable {
    /// The rules for the identity, in the order of the policy.
    package let rules: [PolicyRule]
    /// The verbs that are allowed at every path.
    package let everywhere: PolicyVerbs

    /// No rights.
    package static let none = PolicyRights([], fault: nil)

    private let fault: String?

    init(_ rules: [PolicyRule], fault: String?) {
        self.rules = rules
        self.fault = fault
        var allowed: PolicyVerbs = []
        var limited: PolicyVerbs = []
        for rule in rules {
            if !rule.isAllowing {
                limited.formUnion(rule.verbs)
            } else if rule.pattern.isEverything {
                allowed.formUnion(rule.verbs)
            }
        }
        everywhere = allowed.subtracting(limited)
    }

    /// Decides about a verb at a path. A denying rule overrides all others; without an allowing
    /// rule the verb is denied. The order of the rules does not matter.
    package func decide(_ verb: PolicyVerb, _ path: NodePath) -> PolicyDecision {
        var allowing: PolicyRule?
        for rule in rules where rule.covers(verb, path) {
            guard rule.isAllowing else {
                return PolicyDecision(isAllowed: false, rule: rule, fault: nil)
            }
            allowing = allowing ?? rule
        }
        return PolicyDecision(isAllowed: allowing != nil, rule: allowing, fault: fault)
    }

    /// Returns whether a verb is allowed at a path.
    package func allows(_ verb: PolicyVerb, _ path: NodePath) -> Bool {
        everywhere.contains(verb) || decide(verb, path).isAllowed
    }

    /// Returns the verbs that are allowed at a path.
    package func verbs(at path: NodePath) -> PolicyVerbs {
        guard everywhere != .all else {
            return .all
        }
        return PolicyVerbs(
            PolicyVerb.allCases.filter { allows($0, path) }.map { PolicyVerbs($0) })
    }
}
