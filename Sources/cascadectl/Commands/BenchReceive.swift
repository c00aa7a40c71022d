// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The receiving process of a benchmark.
struct BenchReceive: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench-receiver", shouldDisplay: false)

    @OptionGroup var options: BenchOptions
    @Option var index: Int
    @Option var bus: String

    func run() throws {
        try BenchReceiver(plan: options.plan, index: index, endpoint: bus).run()
    }
}
