// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeWire

/// What is asked about rules: which stand, and what others would change.
extension Broker {
    // MARK: - What stands

    /// The files in the order in which they count, then the nodes' own, in the order of the tree.
    var rulesDocument: JSONValue {
        let all = environment.models[Hierarchy.root]?.rules ?? []
        var next = 0
        var models: [JSONValue] = []
        for file in ruleFiles {
            let rules = all[next...].prefix { $0.source == "\(file.file):\($0.rule.line)" }
            next += rules.count
            models.append(
                .members([
                    "at": "/", "file": .string(file.file),
                    "rules": .array(rules.map { Self.document($0, line: $0.rule.line) }),
                ]))
        }
        let places = environment.models.keys.filter { $0 != Hierarchy.root }
        let paths = places.map { (path: hierarchy.path(of: $0).description, place: $0) }
        for (path, place) in paths.sorted(by: { $0.path < $1.path }) {
            let rules = environment.models[place]?.rules ?? []
            models.append(
                .members([
                    "at": .string(path),
                    "rules": .array(
                        rules.enumerated().map { Self.document($1, line: $0 + 1) }),
                ]))
        }
        return .document("rules", ["models": .array(models)])
    }

    private static func document(_ rule: CompiledRule, line: Int) -> JSONValue {
        .members([
            "line": .integer(line), "rule": .text(rule.rule),
            "priority": .integer(rule.rule.priority),
        ])
    }

    // MARK: - What would change

    /// For each node that is there, the keys that would read otherwise.
    mutating func rulesDifferenceDocument(
        _ file: RuleModelFile
    ) throws(WireError) -> JSONValue {
        var table = environment
        let model = try model(with: file, &table.keys)
        let changed = table.setModel(model, at: Hierarchy.root)
        let keys = Set(
            table.dependents(of: changed).numbers + environment.dependents(of: changed).numbers)
        let nodes = hierarchy.subtree(of: Hierarchy.root, depth: .max)
            .filter { hierarchy[$0].holder != nil || $0 == Hierarchy.root }
        bindKept(to: nodes)
        var before = Resolver(environment, resolverFacts)
        var after = Resolver(table, resolverFacts)
        var changes: [JSONValue] = []
        for node in nodes {
            for key in keys.sorted(by: table.keys) {
                let old = key < environment.keys.count ? before.resolve(key, for: node) : .nothing
                let new = after.resolve(key, for: node)
                if old.value != new.value {
                    changes.append(
                        .members([
                            "path": .text(hierarchy.path(of: node)),
                            "key": .text(table.keys[key]),
                            "old": old.value?.document, "new": new.value?.document,
                        ]))
                }
            }
        }
        return .document(
            "rulesDiff", ["file": .string(file.file), "changes": .array(changes)])
    }
}
