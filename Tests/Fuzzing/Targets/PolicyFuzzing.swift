// SPDX-License-Identifier: Apache-2.0

import CascadeDaemon
import CascadeJSON
import CascadePolicy
import CascadeWire

/// Checks that a policy rule does not depend on its position, and that a policy decides the same in any order
/// of its rules.
enum PolicyFuzzing {
    private static let verbs = PolicyVerb.allCases
    private static let paths: [NodePath] = [
        .root, "/a", "/a/b", "/shop", "/shop/till-1", "/shop/till-1/printer/a/b/c",
    ]
    private static let identities = [
        PolicyIdentity(), PolicyIdentity(userID: 0),
        PolicyIdentity(userID: 1000, groupIDs: [1000, 27], unit: "shop.service"),
        PolicyIdentity(userID: 7, groupIDs: [0], unit: "a"), PolicyIdentity(key: "laptop"),
    ]

    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        runKeys(text)
        do throws(PolicyError) {
            let file = try read(text)
            for rule in file.rules {
                check(rule)
            }
            decide(Policy(file.rules), Policy(file.rules.reversed()))
        } catch {
            precondition(error.position.line > 0 && error.position.column > 0)
            precondition(!error.message.isEmpty)
            precondition(!error.description.unicodeScalars.contains(where: \.controlsTerminal))
        }
    }

    private static func read(_ text: String) throws(PolicyError) -> PolicyFile {
        let names = PolicyNames(
            userID: { $0 == "alice" ? 1000 : nil }, groupID: { $0 == "staff" ? 27 : nil })
        return try PolicyFile(text, file: "fuzzed.policy", names: names)
    }

    private static func check(_ rule: PolicyRule) {
        guard let again = try? read(rule.text + "\n").rules, again.count == 1 else {
            preconditionFailure("'\(rule.text)' is not accepted alone")
        }
        precondition(again[0].text == rule.text && again[0].isAllowing == rule.isAllowing)
        precondition(again[0].verbs == rule.verbs && !rule.verbs.isEmpty)
        precondition(again[0].pattern.description == rule.pattern.description)
        for identity in identities {
            precondition(again[0].concerns(identity) == rule.concerns(identity))
        }
        for path in paths {
            let covers = rule.pattern.covers(path)
            precondition(again[0].pattern.covers(path) == covers)
            precondition(
                covers || !rule.pattern.isEverything, "'\(rule.text)' does not cover \(path)")
        }
    }

    private static func decide(_ policy: Policy, _ reversed: Policy) {
        for identity in identities {
            let authorization = policy.authorization(of: identity)
            let other = reversed.authorization(of: identity)
            precondition(authorization.everywhere == other.everywhere)
            for path in paths {
                for verb in verbs {
                    let decision = authorization.decide(verb, path)
                    precondition(decision.isAllowed == authorization.allows(verb, path))
                    precondition(decision.isAllowed == other.decide(verb, path).isAllowed)
                    precondition(!decision.isAllowed || decision.rule?.isAllowing == true)
                }
            }
        }
    }

    private static func runKeys(_ text: String) {
        if let keys = try? AuthorizedKeys(text, file: "fuzzed.keys") {
            precondition(keys.count <= text.utf8.count / 40)
        }
    }
}
