// SPDX-License-Identifier: Apache-2.0

/// A rule that gives a key a value where its condition holds. The operator `=>` creates one, see
/// ``Rules``.
public struct EnvironmentRule: Hashable, Sendable, CustomStringConvertible {
    /// The precedence of a rule over others for the same key: a number, or a name for one.
    public struct Priority: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// 1000.
        public static let important = Priority("important")
        /// 200.
        public static let veryHigh = Priority("veryHigh")
        /// 150.
        public static let high = Priority("high")
        /// 100, the default.
        public static let normal = Priority("normal")
        /// 50.
        public static let low = Priority("low")
        /// 5.
        public static let veryLow = Priority("veryLow")
        /// 0.
        public static let fallback = Priority("fallback")

        /// Returns the priority with a number; the greatest number wins.
        public static func value(_ number: Int16) -> Priority {
            Priority(String(number))
        }
    }

    private let condition: RuleCondition?
    private let assignment: RuleAssignment
    private var priority = Priority.normal

    init(_ assignment: RuleAssignment, if condition: RuleCondition? = nil) {
        self.assignment = assignment
        self.condition = condition
    }

    /// Returns the rule with another priority.
    public func priority(_ priority: Priority) -> EnvironmentRule {
        var rule = self
        rule.priority = priority
        return rule
    }

    /// The rule in the syntax of rules files.
    public var description: String {
        let start = condition.map { "\($0) => " } ?? ""
        let end = priority == .normal ? "" : " ; \(priority)"
        return "\(start)\(assignment)\(end)"
    }
}

/// The key and the value of a rule. The operator `<=` creates one, see ``Rules``.
public struct RuleAssignment: Hashable, Sendable, CustomStringConvertible {
    /// The assignment in the syntax of rules files.
    public let description: String

    init(_ key: ErasedKey, _ value: String) {
        description = "\(key.name) <= \(value)"
    }

    /// Returns a rule without a condition, with another priority than the default.
    public func priority(_ priority: EnvironmentRule.Priority) -> EnvironmentRule {
        EnvironmentRule(self).priority(priority)
    }
}

/// The condition of a rule. Comparisons of key paths create one, see ``Rules``.
public struct RuleCondition: Hashable, Sendable, CustomStringConvertible {
    /// The condition in the syntax of rules files.
    public let description: String
    /// Whether the condition never needs parentheses.
    private let standsAlone: Bool

    init(_ description: String, standsAlone: Bool = false) {
        self.description = description
        self.standsAlone = standsAlone
    }

    /// Creates the condition that the value of a key is true.
    init(_ keyPath: KeyPath<EnvironmentValues, Bool>) {
        self.init(EnvironmentValues.key(of: keyPath).name, standsAlone: true)
    }

    var inParentheses: String {
        standsAlone ? description : "(\(description))"
    }
}
