// SPDX-License-Identifier: Apache-2.0

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
