// SPDX-License-Identifier: Apache-2.0

/// A rule: it gives a key a value where its condition holds. It is written with `=>`, see
/// ``Rules``.
public struct EnvironmentRule: Hashable, Sendable, CustomStringConvertible {
    /// Which of several rules decides. A number is as good as a name.
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
        /// 100: what a rule has that says nothing else.
        public static let normal = Priority("normal")
        /// 50.
        public static let low = Priority("low")
        /// 5.
        public static let veryLow = Priority("veryLow")
        /// 0.
        public static let fallback = Priority("fallback")

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

    /// The rule with another priority than the normal one.
    public func priority(_ priority: Priority) -> EnvironmentRule {
        var rule = self
        rule.priority = priority
        return rule
    }

    /// The rule as it is written in a file.
    public var description: String {
        let start = condition.map { "\($0) => " } ?? ""
        let end = priority == .normal ? "" : " ; \(priority)"
        return "\(start)\(assignment)\(end)"
    }
}

/// What a rule gives to a key; written with `<=`, see ``Rules``.
public struct RuleAssignment: Hashable, Sendable, CustomStringConvertible {
    /// The assignment as it is written in a file.
    public let description: String

    init(_ key: ErasedKey, _ value: String) {
        description = "\(key.name) <= \(value)"
    }

    /// A rule without a condition, with another priority than the normal one.
    public func priority(_ priority: EnvironmentRule.Priority) -> EnvironmentRule {
        EnvironmentRule(self).priority(priority)
    }
}

/// When a rule applies; written with comparisons of key paths, see ``Rules``.
public struct RuleCondition: Hashable, Sendable, CustomStringConvertible {
    /// The condition as it is written in a file.
    public let description: String
    /// Whether it needs no parentheses, wherever it stands.
    private let standsAlone: Bool

    init(_ description: String, standsAlone: Bool = false) {
        self.description = description
        self.standsAlone = standsAlone
    }

    /// A key whose value is true.
    init(_ keyPath: KeyPath<EnvironmentValues, Bool>) {
        self.init(EnvironmentValues.key(of: keyPath).name, standsAlone: true)
    }

    var inParentheses: String {
        standsAlone ? description : "(\(description))"
    }
}
