// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeSession

/// Raises an event and prints how it ended.
struct Trigger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Raise an event and print how it ended.",
        discussion: """
            The event is raised as a child of --from would raise it: it visits the responders of \
            --from first, then those above.
            """)

    /// What becomes of an event whose node is lost after it accepted it.
    enum Loss: String, ExpressibleByArgument, CaseIterable {
        case fail, pass
    }

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var raised: PayloadOptions

    @Option(help: "The node whose child raises it.", transform: NodePath.argument)
    var from: NodePath = .root

    @Option(help: "What becomes of it if a node is lost with it: fail, or pass on to the next.")
    var onLoss = Loss.fail

    @Flag(name: .customLong("no-wait"), help: "Print the event's ID, and do not wait for its end.")
    var doesNotWait = false

    func run() async throws {
        var options = RaiseOptions(
            .up, from: .outsider(from), deadlineMilliseconds: raised.deadline?.milliseconds ?? 0,
            flags: .wantsTrail)
        if onLoss == .pass {
            options.flags.insert(.passOnLoss)
        }
        try await Raise(bus: bus, output: output, payload: raised, doesNotWait: doesNotWait)
            .run(options)
    }
}
