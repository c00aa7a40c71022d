// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeSession

/// The options of a message raised from outside the tree: its start, hold and treatment of lost
/// nodes.
struct UpwardOptions: ParsableArguments {
    @Option(
        help: "The node whose child raises it.", completion: .nodes, transform: NodePath.argument)
    var from: NodePath = .root

    @Option(
        help: ArgumentHelp(
            "Keep it so long if nobody handles it, for a responder that comes late.",
            valueName: "time"))
    var hold: TimeSpan?

    @Option(help: "What becomes of it if a node is lost with it: fail, or pass on to the next.")
    var onLoss = Loss.fail

    @Flag(name: .customLong("no-wait"), help: "Print its ID, and do not wait for its end.")
    var doesNotWait = false

    func options(
        _ lane: Lane, deadline: TimeSpan?, _ traceParent: TraceParent?
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
