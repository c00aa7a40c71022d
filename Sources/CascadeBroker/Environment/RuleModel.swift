// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions

/// The rules that are attached at one place, or that come from files.
struct RuleModel: Sendable {
    /// In the order in which they were declared.
    let rules: [CompiledRule]
    /// The rules of each key, in the order in which they are asked.
    private let candidates: [KeyIndex: [Int]]
    let since: Instant
    /// `nil` for the rules of files.
    let author: Author?
    /// What counts for it against the bytes of its user.
    let byteCount: Int

    init(
        _ rules: [CompiledRule], since: Instant, author: Author? = nil, byteCount: Int = 0
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
