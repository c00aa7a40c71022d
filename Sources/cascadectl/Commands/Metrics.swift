// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Prints the daemon's metrics.
struct Metrics: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the daemon's metrics, in Prometheus' text format.",
        discussion: """
            A scraper reads the same from the daemon's metrics socket (setting metricsSocket), \
            without a bus.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await bus.withBus { bus in
            let answer = try JSONValue(answer: try await bus.link.query(.metrics))
            output.show(MetricsDocument(json: answer))
        }
    }
}
