// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeTestSupport
import CascadeWire
import FoundationEssentials
import Testing

// Values and preferences in random trees, cut into two or three buses that bridges join: each node has to be
// told the same changes, one for each transaction, as in the whole tree on one bus. CASCADE_CASES sets the
// number of trees.
//
// What is known to differ is left out: conditions of rules above a mount that depend on the reader, and
// values at the root of a site itself.
@Suite struct EnvironmentOracleTests {
    private static let stepsOfOneTree = 10
    private static let seedCount =
        ProcessInfo.processInfo.environment["CASCADE_CASES"].flatMap { Int($0) } ?? 300

    @Test(arguments: 0..<2)
    func `values and preferences are those of one bus`(half: Int) {
        for seed in stride(from: half, to: Self.seedCount, by: 2) {
            if let difference = Self.difference(seed: UInt64(seed), nil) {
                Issue.record("seed \(seed): \(difference)")
                return
            }
        }
    }

    @Test(arguments: PlantedBridgeBug.ofEnvironment)
    func `the oracle finds a planted bug`(bug: PlantedBridgeBug) {
        let found = (0..<300).first { Self.difference(seed: $0, bug) != nil }
        #expect(found != nil)
    }

    // MARK: - Steps

    private enum Step {
        case set([EnvironmentSetting])
        case setFromOutside([EnvironmentSetting])
        case offer([PreferenceOffer])
        case rule([String])
    }

    private static let keys: [EventName] = ["colour", "size", "mode"]
    /// The key in conditions of rules. Only nodes of the root site set it.
    private static let condition: EventName = "state"
    private static let offers: [(EventName, PreferenceReducer)] = [
        ("total", .sum), ("widest", .max), ("ready", .all), ("words", .append), ("lead", .first),
    ]

    private static func step(_ generator: inout SeededGenerator, _ site: Int) -> Step {
        let keys = (site == 0 ? keys + [condition] : keys).filter { _ in generator.isLucky(40) }
        switch generator.below(10) {
        case 0...2:
            return .set(
                keys.map { key in
                    EnvironmentSetting(
                        key, generator.isLucky(70) ? "\(generator.below(3))" : nil,
                        isForItself: generator.isLucky(50))
                })
        case 3, 4:
            return .setFromOutside(
                keys.map {
                    EnvironmentSetting($0, generator.isLucky(70) ? "\(generator.below(3))" : nil)
                })
        case 5: return .rule(rules(&generator))
        default:
            let (key, reducer) = generator.pick(offers)
            let value =
                switch reducer {
                case .all: generator.isLucky(50) ? "true" : "false"
                case .append, .first: "\"w\(generator.below(4))\""
                default: "\(generator.below(5))"
                }
            return .offer([PreferenceOffer(key, generator.isLucky(75) ? value : nil, reducer)])
        }
    }

    private static func rules(_ generator: inout SeededGenerator) -> [String] {
        (0..<generator.below(3)).map { _ in
            let rule = "\(generator.pick(keys)) <= \(generator.below(3))"
            return generator.isLucky(50) ? rule : "\(condition) == \(generator.below(3)) => \(rule)"
        }
    }

    // MARK: - Comparing

    /// The first difference between the cut tree and the whole one, if there is one.
    private static func difference(seed: UInt64, _ bug: PlantedBridgeBug?) -> String? {
        let tree = OracleTree(seed: seed) { _, place, _ in
            OracleTree.Node(
                path: place,
                assignments: Assignments(
                    watchedKeys: keys + [condition], watchedPreferences: offers.map(\.0)))
        }
        guard tree.sites.count > 1, !tree.nodes.isEmpty else {
            return nil
        }
        let cut = OracleWorld(tree, isCut: true, bug: bug)
        let whole = OracleWorld(tree, isCut: false)
        cut.settle()
        var generator = SeededGenerator(seed: seed &+ 1)
        for number in 0..<stepsOfOneTree {
            let index = generator.below(tree.nodes.count)
            let step = step(&generator, cut.workers[index].site)
            perform(step, at: index, in: cut)
            perform(step, at: index, in: whole)
            for (one, other) in zip(cut.workers, whole.workers) {
                let actual = one.takeChanges().map(lines)
                let expected = other.takeChanges().map(lines)
                guard actual == expected, cut.faults.isEmpty, whole.faults.isEmpty else {
                    return """
                        step \(number): \(step) at \(tree.nodes[index].path)
                        sites: \(tree.sites.map { "\($0.name) \($0.mount)" })
                        nodes: \(tree.nodes.map(\.path))
                        at \(one.node.path) expected \(expected)
                             got \(actual)
                        \(cut.faults) \(whole.faults)
                        """
                }
            }
        }
        return nil
    }

    /// The changes of one transaction, as a worker was told them.
    private static func lines(_ message: EnvironmentChanges) -> [String] {
        message.changes.map { change in
            "\(change.isPreference ? "preference" : "value") \(change.key): "
                + "\(change.old ?? "none") to \(change.new ?? "none")"
        }.sorted()
    }

    private static func perform(_ step: Step, at index: Int, in world: OracleWorld) {
        switch step {
        case .set(let settings):
            world.change(index) { declaration in
                let keys = settings.map(\.key)
                declaration.assignments.settings.removeAll { keys.contains($0.key) }
                declaration.assignments.settings += settings.filter { $0.json != nil }
            }
        case .offer(let offers):
            world.change(index) { declaration in
                let keys = offers.map(\.key)
                declaration.assignments.offers.removeAll { keys.contains($0.key) }
                declaration.assignments.offers += offers.filter { $0.json != nil }
            }
        case .setFromOutside(let settings):
            let path = world.workers[index].path
            world.ask(
                { SetEnvironment(request: $0, path: path, Assignments(settings: settings)) },
                of: index)
        case .rule(let rules):
            world.change(index) { $0.assignments.rules = rules }
        }
        world.settle()
    }
}
