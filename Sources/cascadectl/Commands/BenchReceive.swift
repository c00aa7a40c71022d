// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The bench's receiving process.
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
