// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeSession

/// Publishes an event and prints its recipients.
struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Publish an event to subscribers at and below a node.",
        usage: """
            cascadectl publish <name> [<payload>] [<options> ...]
            cascadectl publish --clear <name> [--at <path>]
            """,
        discussion: """
            \(destinations)

            Example: cascadectl publish Night --to all --retain
            """)

    /// The meaning of the destinations, for help texts.
    static let destinations = """
        The level of a subscriber is the number of subscribers to the name above it, not its depth \
        in the tree: nodes between them that do not subscribe do not count. 'last' is one \
        subscriber: of those with the greatest level the one activated most recently. 'lastLevel' \
        is all with the greatest level, 'firstLevel' all without a subscriber above them, and \
        'all' every subscriber at and below the publisher.
        """

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Argument(
        help: "Name of the event.", completion: .publishedNames, transform: EventName.argument)
    var name: EventName?

    @Argument(
        help: """
            Payload as JSON; '-' reads it from standard input, @FILE from a file. Write a payload \
            that begins with a dash after '--'.
            """)
    var payload: String?

    @OptionGroup var metadata: MetadataOptions

    @Option(
        help: ArgumentHelp("Path of the publisher.", valueName: "path"), completion: .nodes,
        transform: NodePath.argument)
    var at: NodePath = .root

    @Option(
        help: ArgumentHelp(
            "Subscribers that receive the event; by default 'last'.", valueName: "destination"))
    var to: PublishingDestination?

    @Flag(help: "Event retained for later subscribers.")
    var retain = false

    @Option(
        help: ArgumentHelp(
            "Name of a retained event to clear; nothing is published.", valueName: "name"),
        transform: EventName.argument)
    var clear: EventName?

    func validate() throws {
        guard (name == nil) != (clear == nil) else {
            throw ValidationError("give either a name to publish, or --clear with one to clear")
        }
        guard clear == nil || (payload == nil && metadata.isEmpty && to == nil && !retain) else {
            throw ValidationError("--clear can only be combined with --at")
        }
    }

    func run() async throws {
        if let clear {
            try await bus.withBus { bus in
                try await bus.administer(.clearRetained(name: clear, path: at))
            }
            output.show(ShownDocument(ClearedDocument(path: at, name: clear)))
        } else if let name {
            try await publish(name)
        }
    }

    private func publish(_ name: EventName) async throws {
        let bytes = try PayloadArgument(payload, contentType: metadata.raw).bytes
        var options = RaiseOptions(
            .down(to ?? .last), from: .outsider(at),
            deadlineMilliseconds: metadata.deadline?.milliseconds ?? 0,
            flags: retain ? .retained : [])
        options.traceParent = metadata.traceParent
        try await RaiseRequest(
            bus: bus, output: output,
            raising: Raising(
                name: name, payload: bytes, contentType: metadata.raw,
                attributes: metadata.attributes),
            options: options
        ).run()
    }
}

extension ClearedDocument: TextDocument {
    func text(_ style: Style) -> String {
        "\(name) is no longer retained at \(path)"
    }
}
