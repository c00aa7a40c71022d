// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// The declarations of a node about itself and its subtree.
struct DeclarationOptions: ParsableArguments {
    /// The relation of a node to its parent.
    enum Relation: String, ExpressibleByArgument, CaseIterable {
        case contained
        /// Presented, as a sheet is: the bus asks the node to stop when its parent leaves.
        case presented
    }

    /// The treatment of the nodes below a node that has left and does not return.
    enum OrphanPolicy: String, ExpressibleByArgument, CaseIterable {
        case adopt, detach
    }

    @Option(
        help: ArgumentHelp(
            "Name of events that the subtree triggers; may be repeated.", valueName: "name"),
        transform: EventName.argument)
    var triggers: [EventName] = []

    @Option(
        help: ArgumentHelp(
            "Name of errors that the subtree reports; may be repeated.", valueName: "name"),
        transform: EventName.argument)
    var reports: [EventName] = []

    @Option(
        help: ArgumentHelp(
            "Treatment of undeclared names; otherwise that of the parent.",
            valueName: "level"))
    var safety: SafetyLevel?

    @Flag(
        name: .customLong("no-explicit-responders"),
        help: "No responder required above for each declared name.")
    var needsNoExplicitResponders = false

    @Option(help: "Relation to the parent; a presented node stops when its parent leaves.")
    var relation = Relation.contained

    @Option(
        help: """
            Treatment of the nodes below when this node does not return: they stay, or are \
            told to stop.
            """)
    var policy = OrphanPolicy.adopt

    @Flag(
        help: """
            Outcomes of durable events that an earlier process triggered at this path, in addition.
            """)
    var outcomes = false

    /// Adds the options to a node's declaration.
    func apply(to declaration: inout NodeDeclaration) {
        declaration.triggers = triggers.isEmpty ? nil : triggers
        declaration.reports = reports.isEmpty ? nil : reports
        declaration.safety = safety
        declaration.requiresExplicitResponders = needsNoExplicitResponders ? false : nil
        declaration.wantsOutcomes = outcomes
        declaration.isPresented = relation == .presented
        declaration.detachesOrphans = policy == .detach
    }
}

// MARK: - Responders

/// The responders and subscriptions of a node.
struct ResponderOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Name of events for a responder that may decline them.", valueName: "name"))
    var receive: [String] = []

    @Option(help: ArgumentHelp("Name of events to handle.", valueName: "name"))
    var handle: [String] = []

    @Option(
        help: ArgumentHelp("Name of events to observe without stopping them.", valueName: "name"))
    var observe: [String] = []

    @Option(
        help: ArgumentHelp(
            "Name of events to replace, and name of the replacement.", valueName: "from=to"))
    var transform: [String] = []

    @Option(help: ArgumentHelp("Name of requests to reply to.", valueName: "name"))
    var respond: [String] = []

    @Option(
        help: ArgumentHelp(
            "Name of errors for a responder that may decline them.", valueName: "name"))
    var receiveError: [String] = []

    @Option(help: ArgumentHelp("Name of errors to handle.", valueName: "name"))
    var handleError: [String] = []

    @Option(
        help: ArgumentHelp(
            "Name of errors to replace, and name of the replacement.", valueName: "from=to"))
    var transformError: [String] = []

    @Option(
        name: .customLong("catch"),
        help: ArgumentHelp(
            "Name of errors to catch, and name of the event that replaces them.",
            valueName: "error=event"))
    var catches: [String] = []

    @Option(help: ArgumentHelp("Name of publications to subscribe to.", valueName: "name"))
    var subscribe: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Condition under which the preceding responder is asked, as in 'priority == "high" && \
            amount > 100'.
            """, valueName: "predicate"))
    var when: [String] = []

    @Option(
        name: .customLong("throw"),
        help: ArgumentHelp(
            "Error with which the preceding responder answers its visits.", valueName: "error"))
    var errors: [String] = []

    @Option(
        help: ArgumentHelp(
            "Delay of the preceding responder before its verdict, as in 250ms.", valueName: "time"))
    var delay: [String] = []

    @Option(
        help: ArgumentHelp("Reply of the preceding --respond, as JSON.", valueName: "json"))
    var reply: [String] = []

    /// Returns the responders in the order of the options. Throws `ValidationError` for an invalid
    /// combination, and ``Stop`` for a value that is not JSON.
    func list() throws -> [ResponderOption] {
        try ResponderOption.list(
            OptionOccurrence.all(
                [
                    "--receive": receive, "--handle": handle, "--observe": observe,
                    "--transform": transform, "--respond": respond,
                    "--receive-error": receiveError, "--handle-error": handleError,
                    "--transform-error": transformError, "--catch": catches,
                    "--subscribe": subscribe, "--when": when, "--throw": errors,
                    "--delay": delay, "--reply": reply,
                ], in: CommandLine.arguments))
    }
}
