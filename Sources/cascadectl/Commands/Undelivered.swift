// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
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
            UndeliveredListing(received: try ReceivedDocument(parsing: message))
        } dumped: { dump in
            UndeliveredListing(received: try dump.document("undelivered"), now: dump.moment)
        }
    }
}

/// Prints one undelivered message in full.
struct UndeliveredShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print one undelivered or held message in full.",
        discussion: """
            A payload of more than 1 MiB is left out, and its length printed.

            Example: cascadectl undelivered show 9f8e7d6c5b4a39281706f5e4d3c2b1a0-3
            """)

    @OptionGroup var inspected: InspectionOptions

    @Argument(help: "ID of the message.", completion: .undelivered, transform: EventID.argument)
    var id: EventID

    func run() async throws {
        try await Inspection(inspected).show(.undeliveredEvent(id)) { message, _ in
            try UndeliveredEventDocument(id, in: ReceivedDocument(parsing: message))
        } dumped: { dump in
            try UndeliveredEventDocument(id, in: dump.document("undelivered"))
        }
    }
}

/// Raises an undelivered message again.
struct UndeliveredRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Trigger an undelivered message again, unchanged.",
        discussion: """
            The message keeps its ID. A held message continues by itself when a responder for it \
            attaches, and its origin learns the outcome. It is therefore not triggered again, and the \
            exit code is 3.

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
            .upward(entry.lane.known ?? .event), from: .outsider(entry.origin),
            deadlineMilliseconds: deadline?.milliseconds ?? 0, flags: .wantsTrail)
        options.retried = id
        try await RaiseRequest(
            bus: bus, output: output, raising: Raising(name: entry.name, payload: []),
            options: options
        ).run()
    }

    /// Returns the bus's entry for the message, without its payload, which the bus still has.
    /// Throws ``Stop`` for a held message.
    private func entry() async throws -> UndeliveredMessage {
        let message = try await bus.withBus { try await $0.link.query(.undelivered) }
        let entry = try UndeliveredDocument(answer: message).entry(id)
        guard !entry.isHeld else {
            let time = entry.heldUntil.map { " until \($0)" } ?? ""
            throw Stop(
                .negative,
                "the event \(id) is held\(time): it continues by itself when a responder for "
                    + "it attaches")
        }
        return entry
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
        output.show(UndeliveredListing(received: try ReceivedDocument(parsing: message)))
    }
}

// MARK: - Documents

/// The undelivered and held messages, with their ages.
struct UndeliveredListing: Document {
    let received: ReceivedDocument<UndeliveredDocument>
    /// The time of the document, for ages.
    var now = Timestamp.now

    var json: JSONValue {
        received.json
    }

    func text(_ style: Style) -> String {
        guard !received.content.undelivered.isEmpty else {
            return "no undelivered messages"
        }
        var table = Table(
            ["ID", "LANE", "NAME", "ORIGIN", "AGE", "REASON", "HELD FOR"], whole: [0, 4, 5])
        for entry in received.content.undelivered {
            let held = entry.heldUntil.map { Age.text(microseconds: $0.microseconds(since: now)) }
            table.append([
                Cell(entry.id.description), Cell(entry.lane.rawValue),
                Cell(entry.name.description), Cell(entry.origin.description),
                Cell(Age.text(microseconds: now.microseconds(since: entry.when))),
                Cell(entry.reason), Cell(held ?? ""),
            ])
        }
        return table.text(style)
    }
}

extension UndeliveredDocument {
    /// Returns the entry of a message. Throws ``Stop`` if there is none.
    func entry(_ id: EventID) throws -> UndeliveredMessage {
        guard let entry = undelivered.first(where: { $0.id == id }) else {
            throw Stop(.absent, "the event \(id) is not among the undelivered messages")
        }
        return entry
    }
}

/// All members of one undelivered event.
struct UndeliveredEventDocument: Document {
    /// The entry in the document of the bus.
    private let entry: JSONValue

    /// Throws ``Stop`` if the event is not in the document.
    init(_ id: EventID, in all: ReceivedDocument<UndeliveredDocument>) throws {
        _ = try all.content.entry(id)
        let entries = all.json["undelivered"]?.elements ?? []
        entry = entries.first { $0["id"]?.string == id.description } ?? .null
    }

    var json: JSONValue {
        .document("undelivered", ["undelivered": .array([entry])])
    }

    func text(_ style: Style) -> String {
        var card = Card(title: entry["name"]?.string ?? "")
        for member in entry.without(["name"]) {
            card.add(member.key, member.value.plainText)
        }
        return card.text(style)
    }
}
