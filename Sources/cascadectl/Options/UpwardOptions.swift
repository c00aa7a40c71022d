// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeSession

/// The options of a message raised from outside the tree: its start, hold and treatment of lost
/// nodes.
struct UpwardOptions: ParsableArguments {
    @Option(
        help: "Path of the node whose child is the origin.", completion: .nodes,
        transform: NodePath.argument)
    var from: NodePath = .root

    @Option(
        help: ArgumentHelp(
            "Time for which an unhandled message is held for a later responder.",
            valueName: "time"))
    var hold: TimeSpan?

    @Option(help: "Treatment of a lost node that had accepted the message: fail, or pass it on.")
    var onLoss = Loss.fail

    @Flag(name: .customLong("no-wait"), help: "Print only the ID, without waiting for the outcome.")
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
