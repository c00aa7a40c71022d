// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Prints the subscribers that a publication would reach.
struct Subscribers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the subscribers that a publication would reach, for each destination.")

    @OptionGroup var inspected: InspectionOptions

    @Argument(
        help: "Name of the publication.", completion: .publishedNames, transform: EventName.argument
    )
    var name: EventName

    @Option(help: "Path of the publisher.", completion: .nodes, transform: NodePath.argument)
    var at: NodePath = .root

    func run() async throws {
        let inspection = Inspection(inspected)
        try await inspection.show(.subscribers(name: name, path: at)) { message, _ in
            SubscribersDocument(answer: try SubscribersAnswer(parsing: message))
        } dumped: { dump in
            guard at.isRoot else {
                throw Stop(
                    .failure,
                    "a dump contains the subscribers at and below the root only, not at \(at)")
            }
            return try SubscribersDocument(dump, name)
        }
    }
}
