// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeJSON

/// Prints the route of a message without raising it.
struct RouteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Print the responders that a message would visit.",
        discussion: """
            Prints each responder in order, whether it would be asked, and why not. Nothing is sent. The \
            policy is not asked: 'policy test' says whether a user may trigger there. \
            With --sites, a route that leaves the bus at '/' goes on at the sites above. Exits with 3 \
            if no responder would be asked.

            Example: cascadectl route OrderPlaced '{"table":4}' --from /kitchen/oven
            """)

    @OptionGroup var watched: WatchOptions

    @Argument(
        help: "Name of the message.", completion: .raisedNames(.event),
        transform: EventName.argument)
    var name: EventName

    @Argument(help: "Payload for predicates: JSON, '-' or @FILE.")
    var payload: String?

    @Option(
        help: ArgumentHelp(
            "Path of the node whose child would be the origin.", valueName: "path"),
        completion: .nodes, transform: NodePath.argument)
    var from: NodePath = .root

    // With a default the parser would print the lane's number.
    @Option(help: "Lane of the message; otherwise event.")
    var lane: Lane?

    @Option(
        name: .customLong("attribute"),
        help: ArgumentHelp(
            "String that travels beside the payload; may be repeated.", valueName: "key=value"),
        transform: Attribute.argument)
    var attributes: [Attribute] = []

    @Flag(help: "Route on the buses of the sites above, in addition.")
    var sites = false

    func validate() throws {
        try watched.expectOnce(forSites: sites)
    }

    func run() async throws {
        let bytes = try PayloadArgument(payload, isSent: false).bytes
        let lane = lane ?? .event
        let route = RouteQuery(
            lane, name, from: from, attributes: attributes,
            payload: String(decoding: bytes, as: UTF8.self))
        if sites {
            try await watched.bus.withBus { [output = watched.output] bus in
                try output.conclude(ShownDocument(try await bus.routeOverSites(route)))
            }
            return
        }
        try await Inspection(watched).show(.route(route)) { message, _ in
            try ShownDocument<RouteDocument>(message)
        } suggesting: { [name, lane, from] bus in
            let nodes = (try? await bus.nodes()) ?? []
            return NameSuggestion(unrouted: name, lane, from: from, nodes: nodes)?.sentence
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
        var table = Table(["PATH", "RESPONDER", "", "ASKED", "WHY"], wrapping: [4])
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
        abstract: "Print the subscribers of a publication.",
        discussion: """
            \(Publish.destinations)

            Example: cascadectl subscribers Night --at /house
            """)

    @OptionGroup var inspected: InspectionOptions

    @Argument(
        help: "Name of the publication.", completion: .publishedNames, transform: EventName.argument
    )
    var name: EventName

    @Option(
        help: ArgumentHelp("Path of the publisher.", valueName: "path"), completion: .nodes,
        transform: NodePath.argument)
    var at: NodePath = .root

    func run() async throws {
        let inspection = Inspection(inspected)
        try await inspection.show(.subscribers(name: name, path: at)) { message, _ in
            ShownDocument(SubscribersDocument(try SubscribersAnswer(parsing: message)))
        } suggesting: { [name, at] nodes in
            NameSuggestion(unsubscribed: name, at: at, nodes: nodes)?.sentence
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
        guard !all.isEmpty else {
            return "no subscribers"
        }
        var table = Table(["DESTINATION", "SUBSCRIBERS"], whole: [0], wrapping: [1])
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
        abstract: "Print an event's trail, and what it caused.",
        discussion: """
            Prints each visit with its verdict and duration, the event's origin, start and duration, \
            and the messages that it caused. The bus keeps the trails of the latest events only; 'trigger' \
            prints the ID of its event. With --sites, the visits at other sites that can be seen are \
            added, in the names of this bus.

            Example: cascadectl trace 9f8e7d6c5b4a39281706f5e4d3c2b1a0-3
            """)

    @OptionGroup var watched: WatchOptions

    @Argument(help: "ID of the event.", transform: EventID.argument)
    var id: EventID

    @Flag(help: "Visits at all sites that can be seen, as one trail.")
    var sites = false

    func validate() throws {
        try watched.expectOnce(forSites: sites)
    }

    func run() async throws {
        if sites {
            try await watched.bus.withBus { [id, output = watched.output] bus in
                try output.conclude(ShownDocument(try await bus.traceOverSites(id)))
            }
            return
        }
        try await Inspection(watched).show(.trace(id)) { message, _ in
            try ShownDocument<OutcomeDocument>(message)
        }
    }
}

extension OutcomeDocument {
    /// The lines with the lane, the origin, the start and the duration.
    var particulars: [String] {
        let lane = lane?.rawValue ?? "event"
        let start = origin.map { " from \($0)" } ?? ""
        var lines = ["  \(lane)\(start)\(begun.map { ", begun \($0)" } ?? "")"]
        if let begun, let ended {
            let duration = UInt32(clamping: ended.microseconds(since: begun))
            lines.append("  duration \(Age.milliseconds(duration))")
        }
        if let cause {
            lines.append("  caused by \(cause)")
        }
        return lines.map(\.safeForTerminal)
    }

    /// The lines with the messages that the event caused, as far as the bus remembers them.
    var consequences: [String] {
        (caused ?? []).map { message in
            let name = message.name?.description ?? ""
            let origin = message.origin.map { " from \($0)" } ?? ""
            return "  caused \(name)\(origin), ID \(message.id)".safeForTerminal
        }
    }
}
