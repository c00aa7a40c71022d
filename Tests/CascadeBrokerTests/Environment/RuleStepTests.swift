// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeBroker

// The work of evaluating rules is bounded: their depth is limited, and each key is resolved once.
@Suite struct RuleStepTests {
    @Test func `a chain of rules has a value up to the maximum depth`() throws {
        let count = Resolver.depthMax
        let chain = (1...count).map { "k\($0) <= \($0 == count ? "1" : "k\($0 + 1)")" }
        #expect(try value(of: "k1", chain) == "1")
        let longer = chain + ["k0 <= k1", "beside <= 2"]
        #expect(try value(of: "k0", longer) == nil)
        #expect(try value(of: "k1", longer) == "1")
        #expect(try value(of: "beside", longer) == "2")
    }

    // Without memoization these rules would take 2 to the 100th steps.
    @Test func `a chain of rules that read the next key twice is resolved in linear time`() throws {
        let rules = (0..<100).flatMap { level in
            ["k\(level + 1) == 1 && k\(level + 1) != 2 => k\(level) <= 1", "k\(level) <= 3 ; low"]
        }
        #expect(try value(of: "k0", rules + ["k100 <= 1"]) == "1")
        #expect(try value(of: "k0", rules + ["k100 <= 2"]) == "3")
        #expect(try value(of: "k0", rules + ["k100 <= k0"]) == nil)
    }

    /// The value that the root reads with these rules.
    private func value(of key: String, _ rules: [String]) throws -> String? {
        var table = EnvironmentTable(keysMax: 1_000)
        let file = RuleModelFile(file: "test.rules", text: rules.joined(separator: "\n"))
        let model = try RuleCompiler.model(
            [file], since: Instant(nanoseconds: 0), &table.keys)
        _ = table.setModel(model, at: Hierarchy.root)
        let facts = ResolverContext(bus: "test", host: "test")
        var resolver = Resolver(table, facts)
        let number = try table.keys.number(of: EventName(key))
        return resolver.resolve(number, for: Hierarchy.root, in: Hierarchy(), PeerTable())
            .value?.json
    }
}
