// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeWire

/// Makes models of the text of rules: all of a model, or nothing and the place of the error.
enum RuleCompiler {
    static func model(
        _ files: [RuleModelFile], since: Instant, _ keys: inout KeyTable
    ) throws(WireError) -> RuleModel {
        var rules: [CompiledRule] = []
        for file in files {
            for rule in try parse(file.text, file: file.file) {
                let place = "\(file.file):\(rule.line)"
                rules.append(
                    try compile(rule, source: place, errorAt: "\(place):\(rule.column)", &keys))
            }
        }
        return RuleModel(rules, since: since)
    }

    /// The rules of a node, each of which is a line.
    static func model(
        _ lines: [String], of path: NodePath, since: Instant, by author: Provenance,
        _ keys: inout KeyTable
    ) throws(WireError) -> RuleModel {
        var rules: [CompiledRule] = []
        var predicateByteCount = 0
        for (index, line) in lines.enumerated() {
            let place = "\(path) rule \(index + 1)"
            let parsed = try parse(line, file: place)
            guard let rule = parsed.first, parsed.count == 1, rule.line == 1 else {
                throw WireError(.badRule, "\(place):1:1: one rule is needed on one line")
            }
            predicateByteCount += rule.predicate?.description.utf8.count ?? 0
            rules.append(
                try compile(
                    rule, source: place, errorAt: "\(place):1:\(rule.column)", &keys))
        }
        let byteCount = lines.reduce(Assignments.elementByteCount * lines.count) {
            $0 + $1.utf8.count
        }
        let compiledByteCount = Assignments.predicateByteFactor * predicateByteCount
        return RuleModel(
            rules, since: since, author: author,
            byteCount: byteCount + compiledByteCount)
    }

    private static func parse(
        _ text: String, file: String
    ) throws(WireError) -> [Rule] {
        do {
            return try RuleFile.parse(text, file: file)
        } catch {
            throw WireError(.badRule, error.description)
        }
    }

    private static func compile(
        _ rule: Rule, source: String, errorAt place: String, _ keys: inout KeyTable
    ) throws(WireError) -> CompiledRule {
        let key = try number(of: rule.key, errorAt: place, &keys)
        if let builtIn = keys.builtIn(key) {
            throw WireError(.badRule, "\(place): \(builtIn.ruleRefusal)")
        }
        var inputs: Set<KeyIndex> = []
        for name in rule.predicate?.names ?? [] {
            inputs.insert(try number(of: name, errorAt: place, &keys))
        }
        let value: CompiledRule.Value
        switch rule.value {
        case .json(let text):
            do {
                value = .constant(KeyValue(try KeyValue.parse(text)))
            } catch {
                throw WireError(.badRule, "\(place): the value is \(error.description)")
            }
        case .key(let name):
            let other = try number(of: name, errorAt: place, &keys)
            inputs.insert(other)
            value = .key(other)
        }
        return CompiledRule(
            rule, key: key, value: value, inputs: inputs.sorted(), source: source)
    }

    private static func number(
        of name: String, errorAt place: String, _ keys: inout KeyTable
    ) throws(WireError) -> KeyIndex {
        let key: EventName
        do {
            key = try EventName(name)
        } catch {
            throw WireError(.badRule, "\(place): \(error.description)")
        }
        return try keys.number(of: key)
    }
}
