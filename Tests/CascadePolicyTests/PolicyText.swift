// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// Policies as tests write them, on a machine with a few users and groups.
enum PolicyText {
    private static var names: PolicyNames {
        PolicyNames(
            userID: { ["anna": 1001, "bert": 1002][$0] }, groupID: { ["tills": 2001][$0] })
    }

    static func file(_ text: String) throws(PolicyError) -> PolicyFile {
        try PolicyFile(text, file: "shop.policy", names: names)
    }

    /// The rules of a text, and nothing beside them.
    static func policy(_ lines: String...) throws(PolicyError) -> Policy {
        let file = try file(lines.joined(separator: "\n") + "\n")
        return Policy(file.rules, fileCount: 1)
    }
}

extension Policy {
    func decide(
        _ verb: PolicyVerb, _ path: NodePath, _ identity: PolicyIdentity
    ) -> PolicyDecision {
        authorization(of: identity).decide(verb, path)
    }
}
