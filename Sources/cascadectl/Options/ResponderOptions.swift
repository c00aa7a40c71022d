// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The responders and subscriptions of a node.
struct ResponderOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Answer handled or not handled.", valueName: "name"))
    var receive: [String] = []

    @Option(help: ArgumentHelp("Handle each of them.", valueName: "name"))
    var handle: [String] = []

    @Option(help: ArgumentHelp("See each of them, and stop none.", valueName: "name"))
    var observe: [String] = []

    @Option(help: ArgumentHelp("Replace each by an event of another name.", valueName: "from=to"))
    var transform: [String] = []

    @Option(help: ArgumentHelp("Answer requests with a value.", valueName: "name"))
    var respond: [String] = []

    @Option(help: ArgumentHelp("Answer handled or not handled to errors.", valueName: "name"))
    var receiveError: [String] = []

    @Option(help: ArgumentHelp("Handle each of these errors.", valueName: "name"))
    var handleError: [String] = []

    @Option(help: ArgumentHelp("Replace each by an error of another name.", valueName: "from=to"))
    var transformError: [String] = []

    @Option(
        name: .customLong("catch"),
        help: ArgumentHelp("Put an event in the place of each error.", valueName: "error=event"))
    var catches: [String] = []

    @Option(help: ArgumentHelp("Get what is published under this name.", valueName: "name"))
    var subscribe: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Ask the responder before it only where this holds, as in 'priority == "high" && \
            amount > 100'.
            """, valueName: "predicate"))
    var when: [String] = []

    @Option(
        name: .customLong("throw"),
        help: ArgumentHelp("The responder before it fails with this error.", valueName: "error"))
    var errors: [String] = []

    @Option(
        help: ArgumentHelp(
            "The responder before it waits so long before its verdict.", valueName: "time"))
    var delay: [String] = []

    @Option(
        help: ArgumentHelp("What the --respond before it answers with.", valueName: "json"))
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
