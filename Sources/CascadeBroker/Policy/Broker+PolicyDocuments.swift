// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// What is allowed, and which rule says so, for whoever asks.
extension Broker {
    var policyDocument: JSONValue {
        .document("policy", ["rules": .array(policy.rules.map(\.json))])
    }

    /// Whether somebody may do something, and which rules have to do with that; the one that
    /// decides is marked.
    func policyDocument(_ test: PolicyTest, by peer: PeerID) throws(WireError) -> JSONValue {
        guard let verb = PolicyVerb(name: test.verb) else {
            let known = PolicyVerb.allCases.map(\.name).joined(separator: ", ")
            let shown = test.verb.escapedForDisplay()
            throw WireError(
                .badName, "there is no verb '\(shown)' of policy; there are \(known)")
        }
        let identity = test.identity ?? peers[peer].credentials.identity
        let rights = policy.rights(of: identity)
        let decision = rights.decide(verb, test.path)
        let others = rights.rules.filter { $0.covers(verb, test.path) }
        return .document(
            "policyTest",
            [
                "verb": .string(verb.name),
                "path": .text(test.path),
                "user": identity.userID.map { .integer($0) },
                "groups": identity.groupIDs.isEmpty
                    ? nil : .array(identity.groupIDs.map { .integer($0) }),
                "unit": identity.unit.isEmpty ? nil : .string(identity.unit),
                "key": identity.key.map { .string($0) },
                "allowed": .bool(decision.isAllowed),
                "why": .string(decision.isAllowed ? decision.allowance : decision.reason),
                "rule": decision.rule?.json,
                "rules": .array(others.map(\.json)),
            ])
    }
}

extension PolicyDecision {
    fileprivate var allowance: String {
        rule.map { "allowed by \($0)" } ?? ""
    }
}

extension PolicyRule {
    fileprivate var json: JSONValue {
        .members([
            "file": place.map { .string($0.file) },
            "line": place.map { .integer($0.line) },
            "column": place.map { .integer($0.column) },
            "rule": .string(text),
            "effect": .string(isAllowing ? "allow" : "deny"),
            "verbs": .array(verbs.each.map { .string($0.name) }),
            "covers": .text(pattern),
        ])
    }
}
