// SPDX-License-Identifier: Apache-2.0

/// A model of rules, each of which gives a key a value where its condition holds and no value is
/// set.
///
///     Node("shop").rules {
///         \.platform == "watch" => \.details <= "minimal"
///         \.platform == "mac" || \.platform == "pad" => \.details <= "high"
///         \.isQuiet => \.announcement <= \.shortAnnouncement
///         (\.isOpen == false => \.copies <= 0).priority(.important)
///     }
///
/// A rule is evaluated for the node that reads the key, so it can give different values at
/// different places. The assigned value may be another key, which is looked up in the same way. If
/// the conditions of several rules for a key hold, the order is: the highest priority, then the
/// most complex condition, then the first in the model.
///
/// The bus evaluates the rules. It receives them as text, one rule a line, in the syntax of rules
/// files.
public struct Rules: Hashable, Sendable, CustomStringConvertible {
    let lines: [String]

    /// Creates the rules that a closure lists.
    public init(@RuleBuilder _ rules: () -> Rules) {
        self = rules()
    }

    /// Creates rules from text in the syntax of rules files. The bus refuses a node with an invalid
    /// rule, and its error has the position of the fault.
    public init(_ text: String) {
        lines = text.split(separator: "\n").map(String.init)
    }

    init(lines: [String]) {
        self.lines = lines
    }

    /// The rules in the syntax of rules files.
    public var description: String {
        lines.joined(separator: "\n")
    }
}

/// The builder of the rules in a ``Rules`` closure.
@resultBuilder
public enum RuleBuilder {
    public static func buildExpression(_ rule: EnvironmentRule) -> Rules {
        Rules(lines: [rule.description])
    }

    /// Adds a rule without a condition.
    public static func buildExpression(_ assignment: RuleAssignment) -> Rules {
        buildExpression(EnvironmentRule(assignment))
    }

    /// Adds rules from another model.
    public static func buildExpression(_ rules: Rules) -> Rules {
        rules
    }

    public static func buildBlock(_ parts: Rules...) -> Rules {
        buildArray(parts)
    }

    public static func buildOptional(_ part: Rules?) -> Rules {
        part ?? Rules(lines: [])
    }

    public static func buildEither(first part: Rules) -> Rules {
        part
    }

    public static func buildEither(second part: Rules) -> Rules {
        part
    }

    public static func buildArray(_ parts: [Rules]) -> Rules {
        Rules(lines: parts.flatMap(\.lines))
    }
}

/// Rules in the syntax of rules files.
enum RuleText {
    /// - Precondition: The value can be encoded as JSON.
    static func json(_ value: some Encodable, for key: ErasedKey) -> String {
        do {
            return String(
                decoding: try PayloadCodec.encode(value, as: "value of '\(key.name)'"),
                as: UTF8.self)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// - Precondition: The value is a string, a number or a boolean. Other values cannot be
    ///   compared.
    static func comparison<Value: Encodable>(
        _ keyPath: KeyPath<EnvironmentValues, Value>, _ relation: String, _ value: Value
    ) -> RuleCondition {
        let key = EnvironmentValues.key(of: keyPath)
        let json = json(value, for: key)
        precondition(
            json.first != "{" && json.first != "[",
            "a rule compares strings, numbers and booleans, and '\(key.name)' has another type")
        return RuleCondition("\(key.name) \(relation) \(json)")
    }
}
