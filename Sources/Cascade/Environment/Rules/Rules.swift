// SPDX-License-Identifier: Apache-2.0

/// A model of rules: each gives a key a value where its condition holds and nobody has set one.
///
///     Node("shop").rules {
///         \.platform == "watch" => \.details <= "minimal"
///         \.platform == "mac" || \.platform == "pad" => \.details <= "high"
///         \.isQuiet => \.announcement <= \.shortAnnouncement
///         (\.isOpen == false => \.copies <= 0).priority(.important)
///     }
///
/// A rule runs for whoever reads: the same rule gives different values in different places. A value
/// may be another key, which is looked up in the same way. Of several rules for a key whose
/// conditions hold, the one of the greatest priority decides; then the one of the most complex
/// condition; then the one that was written first.
///
/// The bus does the evaluating. It gets the rules as text, one on each line, in the language in
/// which files of rules are written.
public struct Rules: Hashable, Sendable, CustomStringConvertible {
    let lines: [String]

    public init(@RuleBuilder _ rules: () -> Rules) {
        self = rules()
    }

    /// Rules as they are written in a file. The bus refuses a node that has a wrong one, and says
    /// where it is wrong.
    public init(_ text: String) {
        lines = text.split(separator: "\n").map(String.init)
    }

    init(lines: [String]) {
        self.lines = lines
    }

    /// The rules as they are written in a file.
    public var description: String {
        lines.joined(separator: "\n")
    }
}
