// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON
import CascadeSession

/// The undelivered and held messages.
struct Undelivered: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undelivered and held messages.",
        subcommands: [
            UndeliveredList.self, UndeliveredShow.self, UndeliveredRetry.self,
            UndeliveredClear.self,
        ],
        defaultSubcommand: UndeliveredList.self)
}

/// Lists undelivered and held messages.
struct UndeliveredList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the undelivered and held messages, one a line.",
        discussion: """
            Example: cascadectl undelivered
            """)

    @OptionGroup var inspected: InspectionOptions

    func run() async throws {
        try await Inspection(inspected).show(.undelivered) { message, _ in
            UndeliveredDocument(json: try JSONValue(answer: message))
        } dumped: { dump in
            UndeliveredDocument(json: try dump.document("undelivered"), now: dump.moment)
        }
    }
}

/// Prints one undelivered message in full.
struct UndeliveredShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print one undelivered or held message in full.",
        discussion: """
            The payload of a held message is left out if it exceeds 64 KiB.

            Example: cascadectl undelivered show 9f8e7d6c5b4a39281706f5e4d3c2b1a0-3
            """)

    @OptionGroup var inspected: InspectionOptions

    @Argument(help: "ID of the message.", completion: .undelivered, transform: EventID.argument)
    var id: EventID

    func run() async throws {
        try await Inspection(inspected).show(.undelivered) { message, _ in
            let all = UndeliveredDocument(json: try JSONValue(answer: message))
            return UndeliveredEventDocument(document: try all.only(id))
        } dumped: { dump in
            let all = UndeliveredDocument(json: try dump.document("undelivered"))
            return UndeliveredEventDocument(document: try all.only(id))
        }
    }
}

/// Raises an undelivered message again.
struct UndeliveredRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Raise an undelivered message again, unchanged.",
        discussion: """
            A held message continues by itself when a responder for it attaches, and its origin \
            learns the outcome. It is therefore not raised again, and the exit code is 3.

            Example: cascadectl undelivered retry 9f8e7d6c5b4a39281706f5e4d3c2b1a0-3
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "ID of the message.", completion: .undelivered, transform: EventID.argument)
    var id: EventID

    @Option(
        help: ArgumentHelp(
            "Time that each responder has, as in 5s; otherwise the bus's default.",
            valueName: "time"),
        transform: TimeSpan.argument)
    var deadline: TimeSpan?

    func run() async throws {
        let entry = try await entry()
        var options = RaiseOptions(
            .upward(entry.lane), from: .outsider(entry.origin),
            deadlineMilliseconds: deadline?.milliseconds ?? 0, flags: .wantsTrail)
        options.retried = id
        try await Raise(
            bus: bus, output: output, raising: Raising(name: entry.name, payload: []),
            options: options
        ).run()
    }

    /// Returns the bus's entry for the message, without its payload, which the bus still has.
    /// Throws ``Stop`` for a held message.
    private func entry() async throws -> (name: EventName, lane: Lane, origin: NodePath) {
        let message = try await bus.withBus { try await $0.link.query(.undelivered) }
        let all = UndeliveredDocument(json: try JSONValue(answer: message))
        let entry = try all.only(id).entries.first
        guard entry?["reason"]?.string != "held" else {
            let time = entry?["heldUntil"]?.string.map { " until \($0)" } ?? ""
            throw Stop(
                .negative,
                "the event \(id) is held\(time): it continues by itself when a responder for "
                    + "it attaches")
        }
        guard let name = entry?["name"]?.string, let origin = entry?["origin"]?.string else {
            throw Stop(.protocolError, "the bus's answer has no name for the event \(id)")
        }
        let lane = Lane.allCases.first { $0.name == entry?["lane"]?.string } ?? .event
        return (try EventName(name), lane, try NodePath(origin))
    }
}

/// Removes the undelivered messages.
struct UndeliveredClear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Remove the undelivered messages; held ones stay.",
        discussion: """
            Example: cascadectl undelivered clear
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let message = try await bus.withBus { bus in
            try await bus.administer(.clearUndelivered)
            return try await bus.link.query(.undelivered)
        }
        output.show(UndeliveredDocument(json: try JSONValue(answer: message)))
    }
}

// MARK: - Documents

/// The undelivered and held messages.
struct UndeliveredDocument: Document {
    /// The document from the bus.
    let json: JSONValue
    /// The time of the document, for ages.
    var now = Timestamp.now

    var entries: [JSONValue] {
        json["undelivered"]?.elements ?? []
    }

    func text(_ style: Style) -> String {
        guard !entries.isEmpty else {
            return "no undelivered messages"
        }
        var table = Table(
            ["ID", "LANE", "NAME", "ORIGIN", "AGE", "REASON", "HELD FOR"], whole: [0, 4, 5])
        for entry in entries {
            let time = { (key: String) in entry[key]?.string.flatMap { Timestamp($0) } }
            let age = time("when").map { Age.text(microseconds: now.microseconds(since: $0)) }
            let held = time("heldUntil").map { Age.text(microseconds: $0.microseconds(since: now)) }
            table.append(
                ["id", "lane", "name", "origin"].map { Cell(entry[$0]?.plainText ?? "") }
                    + [Cell(age ?? ""), Cell(entry["reason"]?.plainText ?? ""), Cell(held ?? "")])
        }
        return table.text(style)
    }

    /// Returns the document with a single event. Throws ``Stop`` if the event is not in it.
    func only(_ id: EventID) throws -> UndeliveredDocument {
        guard let entry = entries.first(where: { $0["id"]?.string == id.description }) else {
            throw Stop(.absent, "the event \(id) is not among the undelivered messages")
        }
        return UndeliveredDocument(
            json: .document("undelivered", ["undelivered": .array([entry])]))
    }
}

/// All members of one undelivered event.
struct UndeliveredEventDocument: Document {
    /// The document with this event only.
    let document: UndeliveredDocument

    var json: JSONValue {
        document.json
    }

    func text(_ style: Style) -> String {
        guard let entry = document.entries.first else {
            return ""
        }
        var card = Card(title: entry["name"]?.string ?? "")
        for member in entry.without(["name"]) {
            card.add(member.key, member.value.plainText)
        }
        return card.text(style)
    }
}
