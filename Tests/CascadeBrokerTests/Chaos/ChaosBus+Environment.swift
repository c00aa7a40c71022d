// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeTestSupport
import CascadeWire

/// Values, rules and preferences, right and wrong ones.
extension ChaosBus {
    private static let texts = [
        "1", "2", "true", "\"x\"", "[1,2]", "{\"a\":null}", "{", "", "-", "1e400", "[[[[", "nan",
    ]
    private static let rules = [
        "k0 == 1 => k1 <= k2", "k1 <= k0 ; high", "k2 <= k1", "!(k2 == 2) => k2 <= 3",
        "node.name == \"p\" => k0 <= node.path", "k3 <= {\"a\":[1]}", "rubbish", "node.uid <= 1",
    ]

    private mutating func key() throws -> EventName {
        try EventName(generator.isLucky(3) ? "node.path" : "k\(generator.below(5))")
    }

    mutating func assignments() throws -> Assignments {
        var assignments = Assignments()
        guard generator.isLucky(50) else {
            return assignments
        }
        for _ in 0..<generator.below(4) {
            let text = generator.isLucky(5) ? generator.pick(Self.texts) : "\(generator.below(4))"
            assignments.settings.append(
                EnvironmentSetting(
                    try key(), generator.isLucky(75) ? text : nil,
                    isForItself: generator.isLucky(50), isSticky: generator.isLucky(20)))
        }
        for _ in 0..<generator.below(3) {
            assignments.watchedKeys.append(try key())
            assignments.watchedPreferences.append(try key())
        }
        if generator.isLucky(40) {
            let reducer = generator.isLucky(5) ? PreferenceReducer.min : .sum
            assignments.offers.append(
                PreferenceOffer(
                    try key(), generator.isLucky(70) ? "\(generator.below(9))" : nil, reducer))
        }
        if generator.isLucky(20) {
            assignments.rules = [generator.pick(Self.rules.prefix(generator.isLucky(5) ? 8 : 6))]
        }
        return assignments
    }

    mutating func set(_ place: Int) throws {
        peers[place].lastRequest += 1
        let request = peers[place].lastRequest
        if generator.isLucky(10) {
            let lines = (0..<generator.below(6)).map { _ in generator.pick(Self.rules) + "\n" }
            handle(.rules([RuleModelFile(file: "chaos.rules", text: lines.joined())]))
        }
        let assignments = try assignments()
        if let node = ownNode(place), generator.isLucky(60) {
            say(SetEnvironment(request: request, node: node, assignments), place)
        } else {
            let path = generator.isLucky(20) ? .root : try path()
            let settings = Assignments(settings: assignments.settings)
            say(SetEnvironment(request: request, path: path, settings), place)
        }
    }

    mutating func environmentSubject() throws -> Query.Subject {
        let subjects: [Query.Subject] = [
            .environment(path: try path(), key: nil),
            .environment(path: try path(), key: try key()),
            .explanation(key: try key(), path: try path()),
            .environmentTree(key: try key(), path: .root), .preferences(path: .root), .rules,
            .summary(path: try path()),
            .rulesDifference(file: "chaos.rules", text: generator.pick(Self.rules)),
        ]
        return generator.pick(subjects)
    }
}
