// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Attaches a node while the command runs.
struct Attach: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Attach a node, for a shell or a program of any kind.",
        usage: "cascadectl attach <path> [<responders> ...] [--stdio | -- <command> ...]",
        discussion: """
            Prints one JSON object per line: first the attachment, then each visit. Responders are \
            asked in the order of their options; --when, --throw, --delay and --reply apply to the \
            responder before them. A name may be '*'.

            Without a command, each responder answers by default: 'receive' and 'receive-error' \
            decline, 'respond' returns the request's payload, and all others handle the message. \
            With a command after '--', the command runs for each visit: the payload is its \
            standard input, other data is in CASCADE_ variables, and its output is the reply to a \
            request, or the new payload of a transform or catch. Its exit status is 0 for handled \
            and 1 for not handled, which fails a responder that must handle or replace. The command \
            is looked up as a shell does; cascadectl exits with 127 if it does not exist, and with \
            126 if it cannot be executed. The command and its processes are ended when the visit's \
            deadline expires. With --stdio, lines on standard input answer visits, trigger messages \
            of every kind, and set values and preferences.

            Example: cascadectl attach /lamp --subscribe Night -- ./switch-on.sh
            """)

    @OptionGroup var bus: BusOptions

    @Argument(help: "Path of the node.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath

    @OptionGroup(title: "Responders and subscriptions") var responding: ResponderOptions

    @Flag(help: "Answers to visits, and messages, from lines on standard input.")
    var stdio = false

    @Flag(help: "Takeover of the path if another session holds it.")
    var takeover = false

    @Flag(help: "Inactive node: no subscriber until activated.")
    var inactive = false

    @Option(help: "Number of visits to process at the same time.")
    var concurrency: UInt16 = 1

    @OptionGroup(title: "Events of its own") var occasions: OccasionOptions

    @OptionGroup(title: "Declarations") var declared: DeclarationOptions

    @OptionGroup(title: "Environment and preferences") var environment: EnvironmentOptions

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("Command to run for each visit, after '--'.", valueName: "command"))
    var command: [String] = []

    func validate() throws {
        guard concurrency >= 1 else {
            throw ValidationError("--concurrency must be at least 1")
        }
        guard !stdio || command.isEmpty else {
            throw ValidationError("--stdio and a command exclude each other: both answer visits")
        }
        guard !stdio || occasions.line == nil else {
            throw ValidationError("--stdio and --on-line exclude each other: both read lines")
        }
        try occasions.check()
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
        let occasions = try occasions.list()
        let bus = try await Bus.open(bus, program: program)
        var declaration = NodeDeclaration(
            path: path, responders: responders.compactMap(\.declaration),
            subscriptions: responders.compactMap(\.subscription), isActive: !inactive,
            takesOver: takeover, concurrency: concurrency, prefetch: prefetch)
        declared.apply(to: &declaration)
        declaration.assignments = assignments
        let conversation = Conversation(
            bus: bus, declaration: declaration,
            responders: responders.filter { $0.declaration != nil },
            subscriptions: responders.filter { $0.subscription != nil },
            answering: answering, occasions: occasions)
        do {
            try await conversation.run()
        } catch let error as CascadeError where error.reason == .pathTaken && !takeover {
            throw Stop(.denied, "\(error.message); --takeover takes the path over")
        }
    }

    /// The program that the bus shows for the node: the command that answers its visits.
    private var program: String {
        command.isEmpty
            ? "cascadectl" : command.joined(separator: " ").shortened(to: Self.programLengthMax)
    }

    private static let programLengthMax = 120

    /// The source of the answers. Throws ``Stop`` for a command that cannot be executed.
    private var answering: Conversation.Answering {
        get throws {
            if stdio {
                return .lines
            }
            return command.isEmpty
                ? .byDefault : .command(try ProgramFile(command), try CommandGuard())
        }
    }

    /// The number of visits to prefetch. With a command, no more than can run at once; the others
    /// wait on the bus, which knows their remaining time.
    private var prefetch: UInt16 {
        command.isEmpty ? max(256, concurrency) : concurrency
    }
}
