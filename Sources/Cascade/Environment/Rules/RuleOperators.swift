// SPDX-License-Identifier: Apache-2.0

/// Lower than comparisons, `&&` and `||`: the condition is everything before the arrow.
precedencegroup RuleArrowPrecedence {
    lowerThan: LogicalDisjunctionPrecedence
    higherThan: TernaryPrecedence
}

infix operator => : RuleArrowPrecedence
infix operator ~ : ComparisonPrecedence

// MARK: - Rules

/// Creates a rule that gives the key the value where the condition holds.
public func => (condition: RuleCondition, assignment: RuleAssignment) -> EnvironmentRule {
    EnvironmentRule(assignment, if: condition)
}

/// Creates a rule that gives the key the value where the flag is true.
public func => (
    flag: KeyPath<EnvironmentValues, Bool>, assignment: RuleAssignment
) -> EnvironmentRule {
    EnvironmentRule(assignment, if: RuleCondition(flag))
}

/// Assigns a value to a key, in a rule.
public func <= <Value: Codable>(
    key: KeyPath<EnvironmentValues, Value>, value: Value
) -> RuleAssignment {
    let key = EnvironmentValues.key(of: key)
    return RuleAssignment(key, RuleText.json(value, for: key))
}

/// Assigns the value of another key to a key, in a rule.
public func <= <Value>(
    key: KeyPath<EnvironmentValues, Value>, other: KeyPath<EnvironmentValues, Value>
) -> RuleAssignment {
    RuleAssignment(EnvironmentValues.key(of: key), EnvironmentValues.key(of: other).name)
}

// MARK: - Comparisons

/// Tests whether the value of a key equals a constant.
public func == <Value: Codable>(
    key: KeyPath<EnvironmentValues, Value>, value: Value
) -> RuleCondition {
    RuleText.comparison(key, "==", value)
}

/// Tests whether the value of a key differs from a constant.
public func != <Value: Codable>(
    key: KeyPath<EnvironmentValues, Value>, value: Value
) -> RuleCondition {
    RuleText.comparison(key, "!=", value)
}

/// Tests whether the value of a key is less than a constant.
public func < <Value: Codable>(
    key: KeyPath<EnvironmentValues, Value>, value: Value
) -> RuleCondition {
    RuleText.comparison(key, "<", value)
}

/// Tests whether the value of a key is at most a constant.
public func <= <Value: Codable>(
    key: KeyPath<EnvironmentValues, Value>, value: Value
) -> RuleCondition {
    RuleText.comparison(key, "<=", value)
}

/// Tests whether the value of a key is greater than a constant.
public func > <Value: Codable>(
    key: KeyPath<EnvironmentValues, Value>, value: Value
) -> RuleCondition {
    RuleText.comparison(key, ">", value)
}

/// Tests whether the value of a key is at least a constant.
public func >= <Value: Codable>(
    key: KeyPath<EnvironmentValues, Value>, value: Value
) -> RuleCondition {
    RuleText.comparison(key, ">=", value)
}

/// Tests whether the key's text matches a pattern, in which `*` stands for any text and `?` for any
/// character.
public func ~ (key: KeyPath<EnvironmentValues, String>, pattern: String) -> RuleCondition {
    RuleText.comparison(key, "~", pattern)
}

// MARK: - Logic

/// Tests whether both conditions hold.
public func && (left: RuleCondition, right: RuleCondition) -> RuleCondition {
    RuleCondition("\(left.inParentheses) && \(right.inParentheses)")
}

/// Tests whether both conditions hold.
public func && (
    left: KeyPath<EnvironmentValues, Bool>, right: RuleCondition
) -> RuleCondition {
    RuleCondition(left) && right
}

/// Tests whether both conditions hold.
public func && (
    left: RuleCondition, right: KeyPath<EnvironmentValues, Bool>
) -> RuleCondition {
    left && RuleCondition(right)
}

/// Tests whether both conditions hold.
public func && (
    left: KeyPath<EnvironmentValues, Bool>, right: KeyPath<EnvironmentValues, Bool>
) -> RuleCondition {
    RuleCondition(left) && RuleCondition(right)
}

/// Tests whether one of the conditions holds, or both.
public func || (left: RuleCondition, right: RuleCondition) -> RuleCondition {
    RuleCondition("\(left.inParentheses) || \(right.inParentheses)")
}

/// Tests whether one of the conditions holds, or both.
public func || (
    left: KeyPath<EnvironmentValues, Bool>, right: RuleCondition
) -> RuleCondition {
    RuleCondition(left) || right
}

/// Tests whether one of the conditions holds, or both.
public func || (
    left: RuleCondition, right: KeyPath<EnvironmentValues, Bool>
) -> RuleCondition {
    left || RuleCondition(right)
}

/// Tests whether one of the conditions holds, or both.
public func || (
    left: KeyPath<EnvironmentValues, Bool>, right: KeyPath<EnvironmentValues, Bool>
) -> RuleCondition {
    RuleCondition(left) || RuleCondition(right)
}

/// Tests whether a condition does not hold.
public prefix func ! (condition: RuleCondition) -> RuleCondition {
    RuleCondition("!\(condition.inParentheses)", standsAlone: true)
}

/// Tests whether a condition does not hold.
public prefix func ! (flag: KeyPath<EnvironmentValues, Bool>) -> RuleCondition {
    !RuleCondition(flag)
}
