// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The environment of nodes, and values set from outside.
struct Env: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Environment: values that are set at a node and read by the nodes below it.",
        subcommands: [
            EnvGet.self, EnvSet.self, EnvUnset.self, EnvList.self, EnvWatch.self,
            EnvExplain.self, EnvExec.self,
        ],
        defaultSubcommand: EnvList.self)
}
