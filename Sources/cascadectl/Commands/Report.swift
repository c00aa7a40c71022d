// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeSession

/// Reports an error and prints the outcome.
struct Report: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Report an error, and print its outcome.",
        discussion: """
            The error is reported as by a child of --from, and visits the nodes that receive, \
            handle, transform or catch errors. With a title or a message it is alertable: a node \
            that shows alerts shows it.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var raised: PayloadOptions

    @Option(help: ArgumentHelp("Message for people.", valueName: "text"))
    var message: String?

    @Option(help: ArgumentHelp("Title shown above the message.", valueName: "text"))
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
