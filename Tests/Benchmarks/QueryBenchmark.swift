// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A benchmark of queries: their cost, and the longest turn, which delays all other work. The bus has 10,000
/// nodes, 1,000 rules and a hundred keys, with the default limits.
enum QueryBenchmark {
    private static let keyCount = 100
    private static let ruleCount = 1_000

    static func measure(nodes count: Int) throws {
        var bus = try BenchmarkBus()
        bus.load(rules(last: "true"))
        for index in 0..<count {
            var assignments = Assignments()
            assignments.offers = [
                PreferenceOffer(EventName("notes"), "[\(index)]", .append)
            ]
            _ = try bus.attach("/b\(index % 100)/n\(index)", assignments)
        }
        _ = bus.set(
            try (0..<keyCount).map { EnvironmentSetting(try EventName("key\($0)"), "\($0)") },
            at: .root)
        let queries: [(String, Query.Subject)] = [
            ("tree", .tree(path: .root, depth: .max)), ("bus", .bus), ("check", .check),
            ("metrics", .metrics), ("rules", .rules),
            ("environment", .environment(path: "/b1/n1", key: nil)),
            ("explanation", .explanation(key: EventName("rule0"), path: "/b1/n1")),
            ("environmentTree", .environmentTree(key: EventName("rule0"), path: .root)),
            ("preferences", .preferences(path: .root)),
            (
                "rulesDifference",
                .rulesDifference(file: "bench.rules", text: rules(last: "node.name"))
            ),
            ("monitor", .monitor(MonitorFilter(sinceMilliseconds: .max))),
        ]
        for (name, subject) in queries {
            let cost = try bus.query(subject)
            print(
                "query \(name), \(count) nodes: \(cost.turns) turns, "
                    + "\(cost.nanoseconds / 1_000) µs of work, longest turn "
                    + "\(cost.longest / 1_000) µs, answered after "
                    + "\(cost.waited / 1_000_000) ms, "
                    + (cost.isRefused ? "refused" : "\(cost.byteCount) bytes"))
        }
    }

    private static func rules(last value: String) -> String {
        (0..<ruleCount).map { rule in
            "key\(rule % keyCount) == \(rule) => rule\(rule % keyCount) <= \(value)\n"
        }.joined()
    }
}
