// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Shows who would get a publication.
struct Subscribers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show who would get a publication, for each destination.")

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var repetition: WatchOption

    @Argument(help: "The publication's name.", transform: EventName.argument)
    var name: EventName

    @Option(help: "The publisher.", transform: NodePath.argument)
    var at: NodePath = .root

    func run() async throws {
        let inspection = Inspection(bus: bus, output: output, watch: repetition.watch)
        try await inspection.show(.subscribers(name: name, path: at)) { message, _ in
            SubscribersDocument(answer: try SubscribersAnswer(parsing: message))
        }
    }
}
