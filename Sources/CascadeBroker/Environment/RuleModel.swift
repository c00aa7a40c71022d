// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
package import CascadeWire

/// The rules that are attached at one place, or that come from files.
struct RuleModel: Sendable {
    /// In the order in which they were declared.
    let rules: [CompiledRule]
    /// The rules of each key, in the order in which they are asked.
    private let candidates: [KeyIndex: [Int]]
    let since: Instant
    /// `nil` for the rules of files.
    let author: Provenance?
    /// Bytes charged to its user.
    let byteCount: Int

    init(
        _ rules: [CompiledRule], since: Instant, author: Provenance? = nil, byteCount: Int = 0
    ) {
        self.byteCount = byteCount
        self.rules = rules
        self.since = since
        self.author = author
        let places = Dictionary(grouping: rules.indices) { rules[$0].key }
        candidates = places.mapValues { places in
            places.sorted { left, right in
                (rules[right].rule.priority, rules[right].rule.complexity, left)
                    < (rules[left].rule.priority, rules[left].rule.complexity, right)
            }
        }
    }

    /// The rules for a key, in the order in which they are asked: by priority, then complexity of
    /// the predicate, then declaration.
    func candidates(for key: KeyIndex) -> [Int] {
        candidates[key] ?? []
    }

    func has(_ key: KeyIndex) -> Bool {
        candidates[key] != nil
    }

    var keys: some Sequence<KeyIndex> {
        candidates.keys
    }
}

/// A rule with its keys as numbers. A class, for every reader refers to it and it never changes.
final class CompiledRule: Sendable {
    enum Value: Sendable {
        case constant(KeyValue)
        case key(KeyIndex)
    }

    let rule: Rule
    let key: KeyIndex
    let value: Value
    /// The keys that it reads: the names of its predicate, and the other key whose value it yields.
    let inputs: [KeyIndex]
    /// Its source: `FILE:LINE`, or `PATH rule NUMBER`.
    let source: String

    init(_ rule: Rule, key: KeyIndex, value: Value, inputs: [KeyIndex], source: String) {
        self.rule = rule
        self.key = key
        self.value = value
        self.inputs = inputs
        self.source = source
    }

    /// The predicate as written, or nothing.
    var predicate: Predicate? {
        rule.predicate
    }
}

/// Keys of which each needs the next one, by rules, and the last the first.
package struct RuleCycle: Hashable, Sendable, CustomStringConvertible {
    package let keys: [EventName]

    /// The same cycle is the same wherever it was entered: it begins with the least key.
    init(_ keys: some Collection<EventName>) {
        let keys = Array(keys)
        let start = keys.indices.min { keys[$0].description < keys[$1].description } ?? 0
        self.keys = Array(keys[start...] + keys[..<start])
    }

    package var description: String {
        (keys + keys.prefix(1)).map(\.description).joined(separator: " → ")
    }
}
