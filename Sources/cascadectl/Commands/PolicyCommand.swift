// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Inspection of the policy.
struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Policy: who may do what where, and which rule says so.",
        subcommands: [PolicyList.self, PolicyTestCommand.self],
        defaultSubcommand: PolicyList.self)
}
