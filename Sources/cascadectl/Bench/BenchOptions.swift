// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// The parameters of a benchmark, the same in all its processes.
struct BenchOptions: ParsableArguments {
    @Argument(
        help: "\(BenchTest.allCases.map(\.rawValue).joined(separator: ", ")).")
    var test: BenchTest

    @Option(help: "How many messages.")
    var count: Int?

    @Option(help: "Bytes in a message.")
    var size = 128

    @Option(help: "acked: how many outcomes may be awaited at a time.")
    var window = 256

    @Flag(help: "acked, rtt: measure durable events; a bus of one's own keeps them in /tmp.")
    var durable = false

    @Option(help: "chain: how many receivers each event visits.")
    var depth = 1

    @Option(help: "fanout: how many receivers each publication has.")
    var receivers = 16

    func validate() throws {
        guard size >= 4, messageCount >= 2, window >= 1, depth >= 1, receivers >= 1,
            !durable || test == .acked || test == .rtt
        else {
            throw ValidationError(
                "the minimum is 2 for --count, 4 for --size and 1 for other numbers; only acked "
                    + "and rtt can be durable")
        }
    }

    var messageCount: Int {
        count ?? test.defaultCount
    }

    /// The parameters as plain values, for use in inner loops.
    var plan: BenchPlan {
        BenchPlan(
            test: test, messageCount: messageCount, size: size, window: window, depth: depth,
            receivers: receivers, isDurable: durable)
    }
}
