// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeTestSupport
import CascadeWire
import Testing

@Suite struct PolicyDecisionTests {
    private static let anna = PolicyIdentity(userID: 1001, groupIDs: [1001, 2001])
    private static let till = PolicyIdentity(userID: 990, groupIDs: [990], unit: "till@3.service")
    private static let remote = PolicyIdentity(key: "store-7")
    private static let unknown = PolicyIdentity()

    @Test(arguments: [
        ("user anna", [anna]), ("user 990", [till]), ("group tills", [anna]),
        ("group 990", [till]), ("unit till@*.service", [till]), ("unit *", [till]),
        ("key store-*", [remote]), ("key *", [remote]),
        ("everyone", [anna, till, remote, unknown]),
    ])
    func `a rule applies to its subjects`(subject: String, included: [PolicyIdentity]) throws {
        let policy = try PolicyText.policy("allow trigger /shop to \(subject)")
        for identity in [Self.anna, Self.till, Self.remote, Self.unknown] {
            let decision = policy.decide(.trigger, "/shop/a", identity)
            #expect(decision.isAllowed == included.contains(identity), "\(identity)")
            #expect(!policy.decide(.publish, "/shop/a", identity).isAllowed)
            #expect(!policy.decide(.trigger, "/", identity).isAllowed)
        }
    }

    @Test func `a denial overrides permissions, and the reason names it`() throws {
        let policy = try PolicyText.policy(
            "allow all / to user anna", "deny trigger /safe to group tills",
            "allow trigger /safe to everyone")
        let decision = policy.decide(.trigger, "/safe/door", Self.anna)
        #expect(
            decision.reason
                == "denied by shop.policy:2:1 'deny trigger /safe to group tills'")
        #expect(!decision.isAllowed)
        #expect(policy.decide(.publish, "/safe/door", Self.anna).isAllowed)
        #expect(policy.decide(.trigger, "/safe/door", Self.till).isAllowed)
        let missing = policy.decide(.publish, "/", Self.till)
        #expect(missing.reason == "no rule of the policy allows it")
    }

    @Test func `by default the bus's user and root may do all, and the socket's group some`() {
        let policy = DefaultPolicy(userID: 900, groupID: 2001).joined(with: [])
        let owners = [0, 900].map { PolicyIdentity(userID: $0, groupIDs: [$0]) }
        for owner in owners {
            #expect(policy.authorization(of: owner).everywhere == .all)
        }
        #expect(
            policy.authorization(of: Self.anna).verbs(at: "/x").each
                == [.attach, .subscribe, .trigger, .publish, .inspect])
        #expect(policy.authorization(of: Self.till).verbs(at: "/").isEmpty)
        #expect(policy.authorization(of: Self.unknown).verbs(at: "/").isEmpty)
    }

    @Test func `files add to the default policy, deny parts of it, or omit its group rules`()
        throws
    {
        let standard = DefaultPolicy(userID: 900, groupID: 2001)
        let more = try PolicyText.file("allow attach /till to unit till@*.service\n")
        let less = try PolicyText.file("deny publish / to user 0\n")
        let none = try PolicyText.file("default none\n")
        let root = PolicyIdentity(userID: 0, groupIDs: [0])
        let joined = standard.joined(with: [more, less])
        #expect(joined.authorization(of: Self.till).verbs(at: "/till/1").each == [.attach])
        #expect(joined.decide(.attach, "/", Self.anna).isAllowed)
        #expect(!joined.decide(.publish, "/", root).isAllowed)
        #expect(joined.decide(.administer, "/", root).isAllowed)
        let strict = standard.joined(with: [more, none])
        #expect(!strict.decide(.attach, "/", Self.anna).isAllowed)
        #expect(strict.decide(.attach, "/till", Self.till).isAllowed)
        #expect(strict.decide(.attach, "/", root).isAllowed)
    }

    @Test func `in random policies a denial overrides, and the order of rules is irrelevant`()
        throws
    {
        var generator = SeededGenerator(seed: 20)
        for _ in 0..<300 {
            let lines = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
                Self.line(&generator)
            }
            let policy = try PolicyText.policy(lines.joined(separator: "\n"))
            let shuffled = Policy(policy.rules.shuffled(using: &generator))
            for identity in [Self.anna, Self.till, Self.remote, Self.unknown] {
                for path in ["/", "/a", "/a/b", "/b/a"] as [NodePath] {
                    try Self.check(policy, shuffled, identity, path)
                }
            }
        }
    }

    /// Compares the decisions with those of the naive definition.
    private static func check(
        _ policy: Policy, _ shuffled: Policy, _ identity: PolicyIdentity, _ path: NodePath
    ) throws {
        let authorization = policy.authorization(of: identity)
        for verb in PolicyVerb.allCases {
            let about = policy.rules.filter { $0.concerns(identity) && $0.covers(verb, path) }
            let expected = about.contains(where: \.isAllowing) && about.allSatisfy(\.isAllowing)
            let decision = authorization.decide(verb, path)
            #expect(decision.isAllowed == expected)
            #expect(authorization.allows(verb, path) == expected)
            #expect(authorization.verbs(at: path).contains(verb) == expected)
            #expect(shuffled.authorization(of: identity).allows(verb, path) == expected)
            #expect(decision.rule.map { $0.isAllowing == expected } ?? about.isEmpty)
            #expect(!authorization.everywhere.contains(verb) || expected)
        }
    }

    private static func line(_ generator: inout SeededGenerator) -> String {
        let verbs = PolicyVerb.allCases.map(\.name) + ["all"]
        let effect = Bool.random(using: &generator) ? "allow" : "deny"
        let verb = verbs.randomElement(using: &generator) ?? "all"
        let path = ["/", "/a", "/*", "/**/a", "/*/b"].randomElement(using: &generator) ?? "/"
        let subject =
            ["user anna", "group 990", "unit till*", "key *", "everyone"]
            .randomElement(using: &generator) ?? "everyone"
        return "\(effect) \(verb) \(path) to \(subject)"
    }
}
