// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadePolicy
import CascadeWire

/// The documents of the policy's rules and of its decisions.
extension Broker {
    /// Returns the rules with their places. A viewer with hidden places is shown the rules for
    /// everything and those for one place that it may inspect, but not rules with patterns.
    func policyDocument(for viewer: inout Viewer) throws(WireError) -> JSONValue {
        var rules: [JSONValue] = []
        for rule in configuration.policy.rules {
            try viewer.spend(4)
            if rule.pattern.isEverything || isShown(rule.pattern, to: &viewer) {
                rules.append(rule.json)
            }
        }
        return .document("policy", ["rules": .array(rules)])
    }

    private func isShown(_ pattern: PathPattern, to viewer: inout Viewer) -> Bool {
        guard !viewer.seesEverything else {
            return true
        }
        let text = pattern.description
        guard !text.contains(where: { "*?[".contains($0) }), let path = try? NodePath(text) else {
            return false
        }
        return viewer.sees(path)
    }

    /// Returns whether a subject may do something, and the rules that apply; the deciding rule is
    /// marked.
    func policyDocument(
        _ test: PolicyTest, by peer: PeerID, _ viewer: inout Viewer
    ) throws(WireError) -> JSONValue {
        try viewer.spend(1 + configuration.policy.rules.count * 2)
        guard let verb = PolicyVerb(name: test.verb) else {
            let known = PolicyVerb.allCases.map(\.name).joined(separator: ", ")
            let shown = test.verb.escapedForDisplay()
            throw WireError(
                .badName, "there is no verb '\(shown)' of policy; there are \(known)")
        }
        let identity = test.identity ?? peers[peer].credentials.identity
        let authorization = configuration.policy.authorization(of: identity)
        let decision = authorization.decide(verb, test.path)
        let others = authorization.rules.filter { $0.covers(verb, test.path) }
        return .document(
            "policyTest",
            [
                "verb": .string(verb.name),
                // The asker has named it.
                "path": .string(test.path.description),
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
            "file": position.map { .string($0.file) },
            "line": position.map { .integer($0.line) },
            "column": position.map { .integer($0.column) },
            "rule": .string(text),
            "effect": .string(isAllowing ? "allow" : "deny"),
            "verbs": .array(verbs.each.map { .string($0.name) }),
            "covers": .text(pattern),
        ])
    }
}
