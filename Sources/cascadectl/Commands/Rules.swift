// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Inspection of the rules that derive values.
struct Rules: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rules: the active ones, the syntax of a file, and the changes it would make.",
        subcommands: [RulesList.self, RulesCheck.self, RulesDiff.self],
        defaultSubcommand: RulesList.self)
}
