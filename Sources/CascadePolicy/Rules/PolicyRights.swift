// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// What a policy says to one identity: its rules without those that are for others.
///
/// What is the same everywhere is known without a look at any path.
package struct PolicyRights: Sendable {
    /// The rules that are for it, in the order of the policy.
    package let rules: [PolicyRule]
    /// What it may do at every path.
    package let everywhere: PolicyVerbs

    /// Nobody may do anything.
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

    /// A denial wins over everything; what nobody allows is denied. Which rules there are decides,
    /// not in which order.
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

    package func allows(_ verb: PolicyVerb, _ path: NodePath) -> Bool {
        everywhere.contains(verb) || decide(verb, path).isAllowed
    }

    /// What may be done at a path.
    package func verbs(at path: NodePath) -> PolicyVerbs {
        guard everywhere != .all else {
            return .all
        }
        return PolicyVerbs(
            PolicyVerb.allCases.filter { allows($0, path) }.map { PolicyVerbs($0) })
    }
}
