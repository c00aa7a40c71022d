// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A benchmark of changes of the environment, with 100 keys and 1,000 rules. Each node watches ten keys, and
/// all keys have rules that read the changed key.
enum EnvironmentBenchmark {
    private static let keyCount = 100
    private static let ruleCount = 1_000
    private static let watchCount = 10

    static func measure(nodes count: Int) throws {
        for isSet in [false, true] {
            let before = BrokerBenchmark.residentBytes()
            let bus = try unwatched(count, isSet: isSet)
            let bytes = (BrokerBenchmark.residentBytes() - before) / count
            let keys = isSet ? "\(keyCount) keys set at the root and \(ruleCount) rules" : "no keys"
            print("memory, \(count) nodes that watch nothing, \(keys): \(bytes) bytes a node")
            withExtendedLifetime(bus) {}
        }
        let before = BrokerBenchmark.residentBytes()
        let bus = try measure(count, "all read the same values", setsKeys: false, readsNode: false)
        let bytes = (BrokerBenchmark.residentBytes() - before) / count
        print("  memory: \(bytes) bytes a node, \(watchCount) watched keys of each included")
        withExtendedLifetime(bus) {}
        _ = try measure(count, "each node sets a key", setsKeys: true, readsNode: false)
        _ = try measure(count, "rules read the node's name", setsKeys: false, readsNode: true)
    }

    /// Returns a bus with nodes that watch no keys.
    private static func unwatched(_ count: Int, isSet: Bool) throws -> BenchmarkBus {
        var bus = try BenchmarkBus()
        if isSet {
            bus.load(rules(readsNode: false))
            _ = bus.set(
                try (0..<keyCount).map { EnvironmentSetting(try EventName("key\($0)"), "\($0)") },
                at: .root)
        }
        for index in 0..<count {
            _ = try bus.attach("/b\(index % 100)/n\(index)", Assignments())
        }
        return bus
    }

    private static func measure(
        _ count: Int, _ label: String, setsKeys: Bool, readsNode: Bool
    ) throws -> BenchmarkBus {
        var bus = try BenchmarkBus()
        bus.load(rules(readsNode: readsNode))
        let nodes = try (0..<count).map { index in
            var assignments = Assignments()
            assignments.watchedKeys = try (0..<watchCount).map { number in
                try EventName("key\((index + number) % keyCount)")
            }
            if setsKeys {
                assignments.settings = [
                    EnvironmentSetting(EventName("own"), "\(index)", isForItself: true)
                ]
            }
            return try bus.attach("/b\(index % 100)/n\(index)", assignments)
        }
        let mode = EventName("mode")
        print("environment, \(count) nodes, \(label):")
        try measure("  a change at the root", 10) { round in
            bus.set([EnvironmentSetting(mode, "\(round % 2)")], at: .root)
        }
        let last = nodes[count / 2]
        try measure("  a change for one node", 1_000) { round in
            bus.set(
                [EnvironmentSetting(mode, "\(round % 2)", isForItself: true)], at: .root, by: last)
        }
        return bus
    }

    /// Returns the rules. In each mode, the condition of one rule of each key is true.
    private static func rules(readsNode: Bool) -> String {
        (0..<ruleCount).map { number in
            let key = number % keyCount
            let mode = number / keyCount
            let last = readsNode ? " && node.name ~ \"n*\"" : ""
            return "mode == \(mode)\(last) => key\(key) <= \(number)\n"
        }.joined()
    }

    private static func measure(
        _ label: String, _ rounds: Int, _ change: (Int) -> Int
    ) throws {
        var times: [UInt64] = []
        var notifiedCount = 0
        for round in 0..<rounds {
            let start = BrokerBenchmark.now()
            notifiedCount = change(round)
            times.append(BrokerBenchmark.now() - start)
        }
        times.sort()
        let shown = [
            ("median", times[rounds / 2]), ("99 %", times[rounds * 99 / 100]),
            ("most", times[rounds - 1]),
        ]
        let list = shown.map { "\($0.0) \($0.1 / 1_000) µs" }.joined(separator: ", ")
        print("\(label): \(list), \(notifiedCount) notified")
    }
}
