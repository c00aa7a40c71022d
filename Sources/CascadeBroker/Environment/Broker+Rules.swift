// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeJSON
import CascadeWire

/// The rules from files: the outermost model, replaced as a whole or not at all.
extension Broker {
    mutating func load(_ files: [RuleModelFile]) {
        // Keys of rule files have their own limit; they belong to the administrator.
        beginKeys(for: AccountTable.own, wanted: files.isEmpty ? 0 : Int(UInt16.max))
        do throws(WireError) {
            let ruleCount = try environment.load(files, at: now, configuration.limits)
            settleEnvironment()
            log(.rulesLoaded(ruleCount: ruleCount, fileCount: files.count))
        } catch {
            log(.filesRefused(.rules, sentence: error.description))
        }
    }

    /// Returns the error in these files; `nil` if they are valid.
    package func refusal(of files: [RuleModelFile]) -> String? {
        do throws(WireError) {
            try environment.check(files, at: now, configuration.limits)
            return nil
        } catch {
            return error.description
        }
    }
}

/// Queries about rules: the current ones, and the effects of a changed file.
extension Broker {
    /// The files in the order in which they count, then the nodes' own, in the order of the tree.
    /// Rules of hidden places are left out.
    func rulesDocument(for viewer: inout Viewer) throws(WireError) -> JSONValue {
        let all = environment.model(at: Hierarchy.root)?.rules ?? []
        var next = 0
        var models: [JSONValue] = []
        for file in environment.ruleFiles {
            let rules = all[next...].prefix { $0.source == "\(file.file):\($0.rule.line)" }
            next += rules.count
            try viewer.spend(1 + rules.count * 4)
            if let root = viewer.place(.root) {
                models.append(
                    .members([
                        "at": root, "file": .string(file.file),
                        "rules": .array(rules.map { Self.document($0, line: $0.rule.line) }),
                    ]))
            }
        }
        let places = environment.placesWithRules.filter { $0 != Hierarchy.root }
        try viewer.spend(places.count * 4)
        let paths = places.map { (path: hierarchy.path(of: $0), place: $0) }
        for (path, place) in paths.sorted(by: { $0.path.description < $1.path.description }) {
            guard let at = viewer.place(path) else {
                continue
            }
            let rules = environment.model(at: place)?.rules ?? []
            try viewer.spend(rules.count * 4)
            models.append(
                .members([
                    "at": at,
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
}
