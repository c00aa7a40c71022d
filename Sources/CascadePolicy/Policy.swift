// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The rules that decide which subject may use which verb at which path.
package struct Policy: Sendable {
    /// The rules: those of the default policy, then those of the files in their order.
    package let rules: [PolicyRule]
    /// The number of files that the rules were read from.
    package let fileCount: Int
    /// The reason why the policy is not valid; `nil` if it is.
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

    /// Returns a policy that denies everything, for a bus without a valid policy.
    package static func closed(because fault: String) -> Policy {
        Policy([], fileCount: 0, fault: fault)
    }

    /// Returns the authorization of an identity: the rules whose subject includes it.
    package func authorization(of identity: PolicyIdentity) -> PolicyAuthorization {
        PolicyAuthorization(rules.filter { $0.concerns(identity) }, fault: fault)
    }
}

/// The rules of a policy for one identity.
///
/// The verbs that are allowed at every path are computed in advance.
package struct PolicyAuthorization: Sendable {
    /// The rules for the identity, in the order of the policy.
    package let rules: [PolicyRule]
    /// The verbs that are allowed at every path.
    package let everywhere: PolicyVerbs

    /// The rules of an identity that no rule concerns: every verb is denied.
    package static let none = PolicyAuthorization([], fault: nil)

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

/// The decision of a policy, with the rule that decided.
package struct PolicyDecision: Sendable {
    package let isAllowed: Bool
    /// The deciding rule; `nil` if no rule allows the action, which denies it.
    package let rule: PolicyRule?
    /// The reason why the policy is not valid; `nil` if it is.
    let fault: String?

    /// The reason for a denial, which completes an error sentence.
    package var reason: String {
        rule.map { "denied by \($0)" } ?? fault ?? "no rule of the policy allows it"
    }
}

/// The default policy: the bus's user and root may do everything; members of the socket's group may
/// attach, subscribe, trigger, publish and inspect.
package struct DefaultPolicy: Sendable {
    /// The ID of the bus's user.
    package var userID: UInt32
    /// The ID of the group of the workers' socket; `nil` for a socket without a group of its own.
    package var groupID: UInt32?

    package init(userID: UInt32, groupID: UInt32?) {
        self.userID = userID
        self.groupID = groupID
    }

    /// Returns the default rules, followed by those of `files`. A file can omit the rules for the group.
    package func joined(with files: [PolicyFile]) -> Policy {
        let keepsGroup = !files.contains(where: \.omitsDefault)
        return Policy(
            ownerRules + (keepsGroup ? groupRules : []) + files.flatMap(\.rules),
            fileCount: files.count)
    }

    private var ownerRules: [PolicyRule] {
        (userID == 0 ? [0] : [userID, 0]).map { userID in
            PolicyRule(
                isAllowing: true, .all, .everything, .user(userID), at: nil,
                text: "allow all / to user \(userID)")
        }
    }

    private var groupRules: [PolicyRule] {
        let verbs: [PolicyVerb] = [.attach, .subscribe, .trigger, .publish, .inspect]
        let names = verbs.map(\.name).joined(separator: ", ")
        return groupID.map { groupID in
            [
                PolicyRule(
                    isAllowing: true, PolicyVerbs(verbs.map { PolicyVerbs($0) }), .everything,
                    .group(groupID), at: nil, text: "allow \(names) / to group \(groupID)")
            ]
        } ?? []
    }
}
