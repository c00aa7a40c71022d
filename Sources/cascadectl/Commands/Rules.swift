// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Inspection of the rules that derive values.
struct Rules: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rules: what stands, whether a file is right, what it would change.",
        subcommands: [RulesList.self, RulesCheck.self, RulesDiff.self],
        defaultSubcommand: RulesList.self)
}
