// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Inspection of the policy.
struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Policy: the rules that allow or deny actions on the bus.",
        subcommands: [PolicyList.self, PolicyTestCommand.self],
        defaultSubcommand: PolicyList.self)
}
