// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Prints the daemon's metrics.
struct Metrics: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the daemon's metrics in Prometheus' text format.",
        discussion: """
            The daemon's metrics socket (setting metricsSocket) serves the same text to a scraper \
            without a session.
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
