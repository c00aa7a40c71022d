// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Shows what happens on the bus, as it happens.
struct Monitor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what happens on the bus, as it happens.",
        discussion: """
            One line a happening, until interrupted. In a pattern '*' stands for any characters \
            and '?' for one. The bus sends no more than what is asked for.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Option(help: ArgumentHelp("Only these names.", valueName: "pattern"))
    var name: String?

    @Option(help: ArgumentHelp("Only at these paths.", valueName: "pattern"))
    var path: String?

    @Option(
        help: ArgumentHelp(
            "Only these kinds, with commas between: event, error, publish, env, topology, admin.",
            valueName: "kinds"),
        transform: Self.kinds)
    var kind: [HappeningKind] = []

    @Option(
        help: ArgumentHelp(
            "Begin so long ago, as far as the bus remembers.", valueName: "time"))
    var since: TimeSpan?

    func run() async throws {
        let filter = MonitorFilter(
            name: name, path: path, kinds: kind, sinceMilliseconds: since?.milliseconds ?? 0)
        try await bus.withBus { bus in
            for try await message in try await bus.answers(.monitor(filter)) {
                output.show(HappeningDocument(json: try JSONValue(answer: message)))
            }
        }
    }

    private static func kinds(_ text: String) throws -> [HappeningKind] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
            guard let kind = HappeningKind.allCases.first(where: { $0.name == word }) else {
                let all = HappeningKind.allCases.map(\.name).joined(separator: ", ")
                throw ValidationError("there is no kind '\(word)'; there are \(all)")
            }
            return kind
        }
    }
}
