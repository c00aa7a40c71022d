// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The sending process of a benchmark.
struct BenchSend: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench-sender", shouldDisplay: false)

    @OptionGroup var options: BenchOptions
    @Option var bus: String

    func run() throws {
        try BenchSender(plan: options.plan, endpoint: bus).run()
    }
}
