// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeSession

/// Reports an error and prints the outcome.
struct Report: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Report an error and print who handled it.",
        discussion: """
            The error goes up as a child of --from would report it, to the nodes that receive, \
            handle, transform or catch errors. With a title or a message it is alertable: whoever \
            shows errors to people shows this one.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var raised: PayloadOptions

    @Option(help: ArgumentHelp("What it says to people.", valueName: "text"))
    var message: String?

    @Option(help: ArgumentHelp("What heads that.", valueName: "text"))
    var title: String?

    @OptionGroup var upward: UpwardOptions

    func run() async throws {
        var raising = try raised.raising()
        raising.message = message
        raising.title = title
        try await Raise(
            bus: bus, output: output, raising: raising,
            options: upward.options(.error, deadline: raised.deadline, raised.traceParent),
            doesNotWait: upward.doesNotWait
        ).run()
    }
}
