// SPDX-License-Identifier: Apache-2.0

/// A rule that gives a key a value where its predicate holds:
/// `predicate => key <= value ; priority`.
package struct Rule: Hashable, Sendable {
    /// The value that a rule assigns.
    package enum Value: Hashable, Sendable {
        /// The text of a JSON value.
        case json(String)

        /// The value of another key, for the same reader.
        case key(String)
    }

    /// The predicate; `nil` if the rule always holds.
    package let predicate: Predicate?
    package let key: String
    package let value: Value
    package let priority: Int

    /// The position of the rule in its file, counted from 1.
    package let line: Int
    package let column: Int

    /// The specificity of the rule: its predicate's complexity, or 0 without one.
    package var complexity: Int {
        predicate?.complexity ?? 0
    }
}

extension Rule: CustomStringConvertible {
    /// The rule as a line of a file, without a priority if it is the normal one.
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
