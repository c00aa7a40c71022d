// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Prints the route of a message without raising it.
struct RouteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Print the responders that a message would visit, in order, and those it skips.",
        discussion: "Nothing is sent. Exits with 3 if no responder would be asked.")

    @OptionGroup var watched: WatchOptions

    @Argument(
        help: "Name of the message.", completion: .raisedNames(.event),
        transform: EventName.argument)
    var name: EventName

    @Argument(help: "Payload for predicates: JSON, '-' or @FILE.")
    var payload: String?

    @Option(
        help: "Path of the node whose child would be the origin.", completion: .nodes,
        transform: NodePath.argument)
    var from: NodePath = .root

    @Option(help: "Lane of the message.")
    var lane = Lane.event

    @Option(
        name: .customLong("attribute"),
        help: ArgumentHelp(
            "String that travels beside the payload; may be repeated.", valueName: "key=value"),
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
