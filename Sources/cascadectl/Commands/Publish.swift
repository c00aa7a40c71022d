// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeSession

/// Publishes an event and prints its recipients.
struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Publish an event to the subscribers at and below a node.",
        usage: """
            cascadectl publish <name> [<payload>] [<options> ...]
            cascadectl publish --clear <name> [--at <at>]
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The name.", completion: .publishedNames, transform: EventName.argument)
    var name: EventName?

    @Argument(
        help: """
            The payload, JSON; '-' reads it from standard input, @FILE from a file. What begins \
            with a dash goes behind '--'.
            """)
    var payload: String?

    @OptionGroup var accompaniment: AccompanimentOptions

    @Option(help: "The publisher.", completion: .nodes, transform: NodePath.argument)
    var at: NodePath = .root

    @Option(help: "Which of the subscribers get it; 'last' unless said otherwise.")
    var to: PublishingDestination?

    @Flag(help: "Keep the value for subscribers that come later.")
    var retain = false

    @Option(
        help: ArgumentHelp("Forget the value kept under this name instead.", valueName: "name"),
        transform: EventName.argument)
    var clear: EventName?

    func validate() throws {
        guard (name == nil) != (clear == nil) else {
            throw ValidationError("either a name is published, or one is cleared with --clear")
        }
        guard clear == nil || (payload == nil && to == nil && !retain) else {
            throw ValidationError("--clear goes with --at alone")
        }
    }

    func run() async throws {
        if let clear {
            try await bus.withBus { bus in
                try await bus.administer(.clearRetained(name: clear, path: at))
            }
            output.show(ClearedDocument(name: clear, path: at))
        } else if let name {
            try await publish(name)
        }
    }

    private func publish(_ name: EventName) async throws {
        let bytes = try PayloadArgument(payload, contentType: accompaniment.raw).bytes
        var options = RaiseOptions(
            .down(to ?? .last), from: .outsider(at),
            deadlineMilliseconds: accompaniment.deadline?.milliseconds ?? 0,
            flags: retain ? .retained : [])
        options.traceParent = accompaniment.traceParent
        try await Raise(
            bus: bus, output: output,
            raising: Raising(
                name: name, payload: bytes, contentType: accompaniment.raw,
                attributes: accompaniment.attributes),
            options: options
        ).run()
    }
}
