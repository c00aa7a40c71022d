// SPDX-License-Identifier: Apache-2.0

/// Gives a key a value where its predicate holds: `predicate => key <= value ; priority`.
package struct Rule: Hashable, Sendable {
    /// What a key is given.
    package enum Value: Hashable, Sendable {
        /// The text of a JSON value.
        case json(String)

        /// What the other key has, for the same reader.
        case key(String)
    }

    /// Nothing if the rule always holds.
    package let predicate: Predicate?
    package let key: String
    package let value: Value
    package let priority: Int

    /// Where the rule begins in its file, counted from 1.
    package let line: Int
    package let column: Int

    /// How specific the rule is: its predicate's complexity, and 0 without one.
    package var complexity: Int {
        predicate?.complexity ?? 0
    }
}

extension Rule: CustomStringConvertible {
    /// The rule as a line of a file; without a priority if that is the normal one.
    package var description: String {
        let condition = predicate.map { "\($0) => " } ?? ""
        let text =
            switch value {
            case .json(let json): json
            case .key(let key): key
            }
        let named = RulePriority(rawValue: priority).map { "\($0)" } ?? "\(priority)"
        let suffix = priority == RulePriority.normal.rawValue ? "" : " ; \(named)"
        return "\(condition)\(key) <= \(text)\(suffix)"
    }
}
