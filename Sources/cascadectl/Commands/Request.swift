// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeSession

/// Sends a request and prints the reply.
struct Request: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send a request to the nodes above, and print only the reply.",
        discussion: """
            The request is sent as by a child of --from. The reply is printed on standard output, \
            JSON on one line; without a reply, the outcome is printed on standard error. With \
            --json the whole outcome is printed on standard output.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var raised: PayloadOptions
    @OptionGroup var upward: UpwardOptions

    func run() async throws {
        let raise = Raise(
            bus: bus, output: output, raising: try raised.raising(),
            options: upward.options(.request, deadline: raised.deadline, raised.traceParent),
            doesNotWait: upward.doesNotWait)
        guard !output.json else {
            try await raise.run()
            return
        }
        guard let outcome = try await raise.outcome() else {
            return
        }
        guard outcome.status == .done else {
            throw Stop(outcome.status, outcome.headline)
        }
        if let reply = outcome.settled.reply {
            Output.payload(reply.payload, contentType: reply.contentType)
        }
    }
}
