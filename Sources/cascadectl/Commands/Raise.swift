// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeSession

/// Triggers an event and prints the outcome.
struct Trigger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Trigger an event, and print its outcome.",
        discussion: """
            The event is triggered as by a child of --from: it visits the responders of --from \
            first, then those above.

            Example: cascadectl trigger OrderPlaced '{"table":4}' --from /kitchen --deadline 2s
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var raised: PayloadOptions
    @OptionGroup var upward: UpwardOptions
    @OptionGroup var holding: HoldOptions

    @Flag(
        help: """
            Durable event, stored on the bus's disk first: it is held until it is handled, for a \
            day or the time of --hold, even if the daemon or the machine restarts.
            """)
    var durable = false

    func run() async throws {
        var options = upward.options(
            .event, deadline: raised.deadline, raised.traceParent, hold: holding.hold)
        if durable {
            options.flags.insert(.durable)
        }
        try await RaiseRequest(
            bus: bus, output: output, raising: raised.raising(), options: options,
            doesNotWait: upward.doesNotWait
        ).run()
    }
}

/// Reports an error and prints the outcome.
struct Report: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Report an error, and print its outcome.",
        discussion: """
            The error is reported as by a child of --from, and visits the nodes that receive, \
            handle, transform or catch errors. With a title or a message it is alertable: a node \
            that shows alerts shows it.

            Example: cascadectl report OutOfPaper --title Printer --message 'Tray 2 is empty' --from /office
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var raised: PayloadOptions

    @Option(help: ArgumentHelp("Message for people.", valueName: "text"))
    var message: String?

    @Option(help: ArgumentHelp("Title shown above the message.", valueName: "text"))
    var title: String?

    @OptionGroup var upward: UpwardOptions
    @OptionGroup var holding: HoldOptions

    func run() async throws {
        var raising = try raised.raising()
        raising.message = message
        raising.title = title
        try await RaiseRequest(
            bus: bus, output: output, raising: raising,
            options: upward.options(
                .error, deadline: raised.deadline, raised.traceParent, hold: holding.hold),
            doesNotWait: upward.doesNotWait
        ).run()
    }
}

/// Sends a request and prints the reply.
struct Request: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send a request, and print only the reply.",
        discussion: """
            The request is sent as by a child of --from. The reply is printed on standard output, \
            JSON on one line; without a reply, the outcome is printed on standard error. With \
            --json the whole outcome is printed on standard output.

            Example: cascadectl request Price '{"item":7}' --from /shop
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: PlainOutputOptions
    @OptionGroup var raised: PayloadOptions
    @OptionGroup var upward: UpwardOptions
    @OptionGroup var holding: HoldOptions

    func run() async throws {
        let raise = RaiseRequest(
            bus: bus, output: output, raising: try raised.raising(),
            options: upward.options(
                .request, deadline: raised.deadline, raised.traceParent, hold: holding.hold),
            doesNotWait: upward.doesNotWait)
        guard !output.json else {
            try await raise.run()
            return
        }
        guard let (outcome, suggestion) = try await raise.outcome() else {
            return
        }
        guard outcome.status == .done else {
            throw Stop(
                outcome.status,
                [outcome.headline, suggestion?.sentence].compactMap(\.self)
                    .joined(separator: "; "))
        }
        if let reply = outcome.settled.reply {
            Output.payload(reply.payload, contentType: reply.contentType)
        }
    }
}

/// Triggers a cascading action.
struct CascadeUp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cascade",
        abstract: "Trigger a cascading action; print where it ran.",
        discussion: """
            The action runs at --from and at each node above it that has one, nearest first. No \
            node can stop it, not by a failure either: the text names the nodes at which it failed. A \
            cascade without any action is a success.

            Example: cascadectl cascade Save --from /editor/window
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var raised: PayloadOptions
    @OptionGroup var upward: UpwardOptions
    // A cascade is never held: the option has no effect.
    @OptionGroup(visibility: .hidden) var holding: HoldOptions

    func run() async throws {
        try await RaiseRequest(
            bus: bus, output: output, raising: raised.raising(),
            options: upward.options(.cascade, deadline: raised.deadline, raised.traceParent),
            doesNotWait: upward.doesNotWait
        ).run()
    }
}

// MARK: - The message and its outcome

/// The raising of a message by a command, which shows the outcome.
struct RaiseRequest: Sendable {
    let bus: BusOptions
    let output: any OutputFormat
    let raising: Raising
    let options: RaiseOptions
    /// Whether to show the message's ID instead of its outcome.
    var doesNotWait = false

    /// Raises the message and shows its outcome, and why no node took it if the tree tells. Throws
    /// ``Stop`` with the outcome's exit status unless that is success.
    func run() async throws {
        if let (document, suggestion) = try await outcome() {
            output.show(document)
            if document.status != .done {
                throw Stop(document.status, suggestion?.sentence)
            }
        }
    }

    /// Raises the message and returns its outcome, with a suggestion if no node took it. With
    /// `--no-wait`, shows its ID and returns `nil`.
    func outcome() async throws -> (RaisedOutcome, NameSuggestion?)? {
        try await bus.withBus(limit: silenceLimit) { bus in
            let raised =
                options.isDurable
                ? try await bus.link.raiseDurable(raising, options)
                : try await bus.link.raise(raising, options)
            guard !doesNotWait else {
                if options.isDurable {
                    await bus.link.renounceOutcome(of: raised.id)
                }
                // The bus has received the message when it answers a later query.
                _ = try await bus.link.query(.bus)
                output.show(ShownDocument(RaisedDocument(id: raised.id, name: raising.name)))
                return nil
            }
            let document = RaisedOutcome(
                // The bus keeps the ID of a message that is raised again.
                id: options.retried ?? raised.id, name: raising.name,
                settled: try await raised.pending.value)
            return (document, await suggestion(document, on: bus))
        }
    }

    /// Returns what the tree tells about a message that no node took; `nil` for other outcomes, and
    /// for a message that is not raised from a place in the tree.
    private func suggestion(_ outcome: RaisedOutcome, on bus: Bus) async -> NameSuggestion? {
        guard outcome.status == .negative, case .outsider(let path) = options.origin,
            let nodes = try? await bus.nodes()
        else {
            return nil
        }
        return switch options.direction {
        case .upward(let lane):
            NameSuggestion(unhandled: raising.name, lane, from: path, nodes: nodes)
        case .down: NameSuggestion(unsubscribed: raising.name, at: path, nodes: nodes)
        }
    }

    /// The time for which to wait for a silent bus: the message's deadline, and the time for which
    /// it may be held.
    private var silenceLimit: TimeSpan {
        let deadline = options.deadlineMilliseconds
        let time = deadline == 0 ? Bus.silenceLimit.milliseconds : deadline
        let (sum, isTooLong) = time.addingReportingOverflow(options.holdMilliseconds)
        return TimeSpan(milliseconds: isTooLong ? .max : sum)
    }
}

extension RaisedDocument: TextDocument {
    func text(_ style: Style) -> String {
        id.description
    }
}

// MARK: - Options

/// The options of a message raised from outside the tree: its origin, and the treatment of a lost
/// node.
struct UpwardOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Path of the node whose child is the origin.", valueName: "path"),
        completion: .nodes, transform: NodePath.argument)
    var from: NodePath = .root

    @Option(
        help: ArgumentHelp(
            "Treatment of a lost node that had accepted the message: fail, or pass it on.",
            valueName: "policy"))
    var onLoss = LossPolicy.fail

    @Flag(
        name: .customLong("no-wait"),
        help: "Only the ID as output, without waiting for the outcome.")
    var doesNotWait = false

    func options(
        _ lane: Lane, deadline: TimeSpan?, _ traceParent: TraceParent?, hold: TimeSpan? = nil
    ) -> RaiseOptions {
        var options = RaiseOptions(
            .upward(lane), from: .outsider(from), deadlineMilliseconds: deadline?.milliseconds ?? 0,
            flags: .wantsTrail)
        options.traceParent = traceParent
        options.holdMilliseconds = hold?.milliseconds ?? 0
        if onLoss == .pass {
            options.flags.insert(.passOnLoss)
        }
        return options
    }
}

/// The option for the time for which an unhandled message is held.
struct HoldOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Time to hold an unhandled message for a later responder, as in 1h.",
            valueName: "time"),
        transform: TimeSpan.argument)
    var hold: TimeSpan?
}

/// The treatment of an event whose node is lost after it has accepted the event.
enum LossPolicy: String, ExpressibleByArgument, CaseIterable {
    case fail, pass
}
