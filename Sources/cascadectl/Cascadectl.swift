// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The command line of a bus.
@main
struct Cascadectl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cascadectl", abstract: "Looks into a Cascade bus, and acts on it.",
        subcommands: [Bench.self, BenchReceive.self, BenchSend.self])
}
