// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions

/// A rule with its keys as numbers.
struct CompiledRule: Sendable {
    enum Value: Sendable {
        case constant(KeyValue)
        case key(UInt32)
    }

    let rule: Rule
    let key: UInt32
    let value: Value
    /// What it reads: the names of its predicate, and the other key that it gives.
    let inputs: [UInt32]
    /// Where it stands: `FILE:LINE`, or `PATH rule NUMBER`.
    let source: String

    /// The predicate as written, or nothing.
    var predicate: Predicate? {
        rule.predicate
    }
}
