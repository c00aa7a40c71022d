// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Prints the route of a message without raising it.
struct RouteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Say which responders would be asked, in order, and which not and why.",
        discussion: "Nothing is sent. Exits with 3 if nobody would be asked.")

    @OptionGroup var watched: WatchOptions

    @Argument(help: "The name.", completion: .raisedNames(.event), transform: EventName.argument)
    var name: EventName

    @Argument(help: "The payload that predicates look into: JSON, '-' or @FILE.")
    var payload: String?

    @Option(
        help: "The node whose child would raise it.", completion: .nodes,
        transform: NodePath.argument)
    var from: NodePath = .root

    @Option(help: "What it would be.")
    var lane = Lane.event

    @Option(
        name: .customLong("attribute"),
        help: ArgumentHelp(
            "A string that travels beside the payload. May be repeated.", valueName: "key=value"),
        transform: Attribute.argument)
    var attributes: [Attribute] = []

    func run() async throws {
        let bytes = try PayloadArgument(payload).bytes
        let route = Route(
            lane, name, from: from, attributes: attributes,
            payload: String(decoding: bytes, as: UTF8.self))
        try await Inspection(watched).show(.route(route)) { message, _ in
            RouteDocument(json: try JSONValue(answer: message))
        }
    }
}
