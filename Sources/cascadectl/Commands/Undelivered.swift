// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Inspection of undelivered and held messages.
struct Undelivered: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undelivered and held messages.",
        subcommands: [
            UndeliveredList.self, UndeliveredShow.self, UndeliveredRetry.self,
            UndeliveredClear.self,
        ],
        defaultSubcommand: UndeliveredList.self)
}
