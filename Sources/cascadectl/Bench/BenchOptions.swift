// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// How much of what a bench does; the same in all of its processes.
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

    @Option(help: "chain: how many receivers each event visits.")
    var depth = 1

    @Option(help: "fanout: how many receivers each publication has.")
    var receivers = 16

    func validate() throws {
        guard size >= 4, messageCount >= 2, window >= 1, depth >= 1, receivers >= 1 else {
            throw ValidationError("a count of 2, a size of 4 and 1 of everything else are the least")
        }
    }

    var messageCount: Int {
        count ?? test.defaultCount
    }

    var receiverCount: Int {
        switch test {
        case .chain: depth
        case .fanout: receivers
        case .oneway, .acked, .rtt: 1
        }
    }

    /// Messages before the measured ones.
    var warmUpCount: Int {
        test == .rtt || test == .chain ? messageCount / 20 : 0
    }

    // MARK: - The tree

    static let name = "Bench"

    /// The first receiver is the nearest to the sender; the last one stands at the top and takes what
    /// the others decline.
    func path(ofReceiver index: Int) -> String {
        guard test != .fanout else {
            return "/bench/receiver\(index)"
        }
        return (index..<receiverCount).reversed().reduce(into: "") { $0 += "/receiver\($1)" }
    }

    /// A publisher stands above its subscribers, the origin of an event below its responders.
    var senderPath: String {
        test == .fanout ? "/bench" : path(ofReceiver: 0) + "/sender"
    }

    /// The options as arguments, for the bench's other processes.
    var arguments: [String] {
        [
            test.rawValue, "--count", "\(messageCount)", "--size", "\(size)", "--window",
            "\(window)", "--depth", "\(depth)", "--receivers", "\(receivers)",
        ]
    }
}
