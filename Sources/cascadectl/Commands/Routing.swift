// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
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
        let route = RouteQuery(
            lane, name, from: from, attributes: attributes,
            payload: String(decoding: bytes, as: UTF8.self))
        try await Inspection(watched).show(.route(route)) { message, _ in
            try ShownDocument<RouteDocument>(message)
        }
    }
}

extension RouteDocument: TextDocument {
    /// The exit status; `negative` if no responder would be asked.
    var status: ExitStatus {
        responders.contains(where: \.asked) ? .done : .negative
    }

    func text(_ style: Style) -> String {
        guard !responders.isEmpty else {
            return "no responder would be asked"
        }
        var table = Table(["PATH", "RESPONDER", "", "ASKED", "WHY"])
        for responder in responders {
            table.append([
                Cell(responder.path.description),
                Cell(responder.responder.map(String.init) ?? ""),
                Cell("\(responder.kind?.rawValue ?? "") \(responder.name ?? "")"),
                Cell(responder.asked ? "yes" : "no", responder.asked ? .green : .dim),
                Cell(responder.why),
            ])
        }
        return table.text(style)
    }
}

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
            ShownDocument(SubscribersDocument(try SubscribersAnswer(parsing: message)))
        } dumped: { dump in
            guard at.isRoot else {
                throw Stop(
                    .failure,
                    "a dump contains the subscribers at and below the root only, not at \(at)")
            }
            return ShownDocument(try dump.subscribers(to: name))
        }
    }
}

extension SubscribersDocument: TextDocument {
    var status: ExitStatus {
        all.isEmpty ? .negative : .done
    }

    func text(_ style: Style) -> String {
        var table = Table(["DESTINATION", "SUBSCRIBERS"])
        for destination in PublishingDestination.allCases {
            let paths = self[destination].map(\.description)
            table.append([Cell(destination.name), Cell(paths.joined(separator: ", "))])
        }
        return table.text(style)
    }
}

/// Prints the trail of an event.
struct Trace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the trail of an event: each visit with its verdict and duration.",
        discussion: "The bus keeps the trails of the latest events only.")

    @OptionGroup var watched: WatchOptions

    @Argument(help: "ID of the event.", transform: EventID.argument)
    var id: EventID

    func run() async throws {
        try await Inspection(watched).show(.trace(id)) { message, _ in
            try ShownDocument<OutcomeDocument>(message)
        }
    }
}
