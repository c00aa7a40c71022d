// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The environment of nodes, and values set from outside.
struct Env: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The environment: values that are set at a node and read at all below it.",
        subcommands: [
            EnvGet.self, EnvSet.self, EnvUnset.self, EnvList.self, EnvWatch.self,
            EnvExplain.self, EnvExec.self,
        ],
        defaultSubcommand: EnvList.self)
}
