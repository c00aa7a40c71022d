// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Attaches a node while the command runs.
struct Attach: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Be a node of the tree, from a shell or a program in any language.",
        usage: "cascadectl attach <path> [<responders> ...] [--stdio | -- <command> ...]",
        discussion: """
            Prints one JSON object a line: first that it is attached, then each visit. Responders \
            are asked in the order in which they stand here; a --when, --throw, --delay or --reply \
            behind one belongs to it. A name may be '*'.

            Alone, each responder answers by itself: 'receive' and 'receive-error' not handled, \
            'respond' with what it was asked with, all others handled. With a command behind '--', \
            that is run once a visit: the payload on its standard input, the rest in CASCADE_ \
            variables; it exits with 0 for handled and 1 for not handled, and prints the reply to \
            a request, or the new payload of a transform or catch. It is found as a shell finds \
            it, from the current directory where it is a path; where there is none the exit code \
            is 127, and where it cannot be run 126. When the deadline of its visit has passed, it \
            is ended, with all that it has started. With --stdio each visit is \
            answered by a line on standard input, and lines raise events, errors, requests, \
            cascades and publications, and set values and preferences.
            """)

    @OptionGroup var bus: BusOptions

    @Argument(help: "The place in the tree.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath

    @OptionGroup(title: "Responders and subscriptions") var responding: ResponderOptions

    @Flag(help: "Answer each visit by a line on standard input.")
    var stdio = false

    @Flag(help: "Push out whoever holds the path.")
    var takeover = false

    @Flag(help: "Do not count as a subscriber until activated.")
    var inactive = false

    @Option(help: "How many visits to take at once.")
    var concurrency: UInt16 = 1

    @OptionGroup(title: "Declarations") var declared: DeclarationOptions

    @OptionGroup(title: "Environment and preferences") var environment: EnvironmentOptions

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
        do {
            _ = try responding.list()
        } catch is Stop {
            // Not a usage error. The check is repeated when the command runs, with a better error.
        }
    }

    func run() async throws {
        let responders = try responding.list()
        let assignments = try environment.assignments()
        let answering = try answering
        let bus = try await Bus.open(bus)
        var declaration = NodeDeclaration(
            path: path, responders: responders.compactMap(\.declaration),
            subscriptions: responders.compactMap(\.subscription), isActive: !inactive,
            takesOver: takeover, concurrency: concurrency, prefetch: prefetch)
        declared.declare(in: &declaration)
        declaration.assignments = assignments
        let conversation = Conversation(
            bus: bus, declaration: declaration,
            responders: responders.filter { $0.declaration != nil },
            subscriptions: responders.filter { $0.subscription != nil },
            answering: answering)
        try await conversation.run()
    }

    /// The source of the answers. Throws ``Stop`` for a command that cannot be executed, before any
    /// visit.
    private var answering: Conversation.Answering {
        get throws {
            if stdio {
                return .lines
            }
            return command.isEmpty
                ? .alone : .command(try ProgramFile(command), try CommandGuard())
        }
    }

    /// The number of visits to prefetch. With a command, visits wait on the bus, which knows their
    /// remaining time.
    private var prefetch: UInt16 {
        command.isEmpty ? max(256, concurrency) : concurrency
    }
}
