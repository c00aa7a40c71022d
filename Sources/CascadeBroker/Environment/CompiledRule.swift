// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions

/// A rule with its keys as numbers. A class, for it is handed around for each reader and never
/// changes.
final class CompiledRule: Sendable {
    enum Value: Sendable {
        case constant(KeyValue)
        case key(KeyIndex)
    }

    let rule: Rule
    let key: KeyIndex
    let value: Value
    /// What it reads: the names of its predicate, and the other key that it gives.
    let inputs: [KeyIndex]
    /// Where it stands: `FILE:LINE`, or `PATH rule NUMBER`.
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
