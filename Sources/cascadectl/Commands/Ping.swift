// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Measures round trips to the bus.
struct Ping: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measure round trips to the bus.")

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Number of pings, one per second.")
    var count = 1

    func validate() throws {
        guard count >= 1 else {
            throw ValidationError("--count must be at least 1")
        }
    }

    func run() async throws {
        try await bus.withBus { bus in
            for round in 0..<count {
                if round > 0 {
                    try await Task.sleep(for: .seconds(1))
                }
                let start = ContinuousClock.now
                _ = try await bus.link.query(.bus)
                let elapsed = (ContinuousClock.now - start).wholeMicroseconds
                output.show(PingDocument(bus: bus.welcome.bus, microseconds: elapsed))
            }
        }
    }
}
