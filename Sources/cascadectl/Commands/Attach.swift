// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Is a node, as long as it runs.
struct Attach: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Be a node of the tree, from a shell or a program in any language.",
        usage: "cascadectl attach <path> [<responders> ...] [--stdio | -- <command> ...]",
        discussion: """
            Prints one JSON object a line: first that it is attached, then each visit. Responders \
            are asked in the order in which they stand here; a --throw or --delay behind one \
            belongs to it. A name may be '*'.

            Alone, 'handle', 'observe' and 'transform' answer by themselves, and 'receive' answers \
            not handled. With a command behind '--', that is run once a visit: the payload on its \
            standard input, the rest in CASCADE_ variables; it exits with 0 for handled and 1 for \
            not handled, and prints the new payload of a transform. With --stdio each visit is \
            answered by a line on standard input, and lines raise events.
            """)

    @OptionGroup var bus: BusOptions

    @Argument(help: "The place in the tree.", transform: NodePath.argument)
    var path: NodePath

    @Option(help: ArgumentHelp("Answer handled or not handled.", valueName: "name"))
    var receive: [String] = []

    @Option(help: ArgumentHelp("Handle each of them.", valueName: "name"))
    var handle: [String] = []

    @Option(help: ArgumentHelp("See each of them, and stop none.", valueName: "name"))
    var observe: [String] = []

    @Option(help: ArgumentHelp("Replace each by an event of another name.", valueName: "from=to"))
    var transform: [String] = []

    @Option(help: ArgumentHelp("Get what is published under this name.", valueName: "name"))
    var subscribe: [String] = []

    @Option(
        name: .customLong("throw"),
        help: ArgumentHelp("The responder before it fails with this error.", valueName: "error"))
    var errors: [String] = []

    @Option(
        help: ArgumentHelp(
            "The responder before it waits so long before its verdict.", valueName: "time"))
    var delay: [String] = []

    @Flag(help: "Answer each visit by a line on standard input.")
    var stdio = false

    @Flag(help: "Push out whoever holds the path.")
    var takeover = false

    @Flag(help: "Do not count as a subscriber until activated.")
    var inactive = false

    @Option(help: "How many visits to take at once.")
    var concurrency: UInt16 = 1

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("Run once a visit; stands behind '--'.", valueName: "command"))
    var command: [String] = []

    func validate() throws {
        guard concurrency >= 1 else {
            throw ValidationError("--concurrency is at least 1")
        }
        guard !stdio || command.isEmpty else {
            throw ValidationError("either --stdio or a command answers the visits, not both")
        }
        _ = try responders()
    }

    func run() async throws {
        let bus = try await Bus.open(bus)
        let responders = try responders()
        let declaration = NodeDeclaration(
            path: path, responders: responders.compactMap(\.declaration),
            subscriptions: responders.compactMap(\.subscription), isActive: !inactive,
            takesOver: takeover, concurrency: concurrency, prefetch: max(256, concurrency))
        let conversation = Conversation(
            bus: bus, declaration: declaration,
            responders: responders.filter { $0.declaration != nil },
            subscriptions: responders.filter { $0.subscription != nil },
            answering: stdio ? .lines : command.isEmpty ? .alone : .command(command))
        try await conversation.run()
    }

    private func responders() throws -> [ResponderOption] {
        try ResponderOption.list(
            OptionOccurrence.all(
                [
                    "--receive": receive, "--handle": handle, "--observe": observe,
                    "--transform": transform, "--subscribe": subscribe, "--throw": errors,
                    "--delay": delay,
                ], in: CommandLine.arguments))
    }
}
