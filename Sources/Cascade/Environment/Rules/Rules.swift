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
