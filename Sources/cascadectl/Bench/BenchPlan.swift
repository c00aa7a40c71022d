// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// The parameters of a benchmark, and the paths of its nodes.
struct BenchPlan {
    let test: BenchTest
    let messageCount: Int
    /// The number of bytes in a payload.
    let size: Int
    /// For `acked`, the number of outcomes that may be awaited at a time.
    let window: Int
    /// For `chain`, the number of receivers that each event visits.
    let depth: Int
    /// For `fanout`, the number of receivers of each publication.
    let receivers: Int
    let isDurable: Bool

    static let eventName = "Bench"

    var receiverCount: Int {
        switch test {
        case .chain: depth
        case .fanout: receivers
        case .oneway, .acked, .rtt: 1
        }
    }

    /// The number of messages that are sent before the measured ones.
    var warmUpCount: Int {
        test == .rtt || test == .chain ? messageCount / 20 : 0
    }

    /// Returns the path of a receiver. The first is the nearest to the sender. The last is at the
    /// top and handles the events that the others decline.
    func path(ofReceiver index: Int) -> String {
        guard test != .fanout else {
            return "/bench/receiver\(index)"
        }
        return (index..<receiverCount).reversed().reduce(into: "") { $0 += "/receiver\($1)" }
    }

    /// The path of the sender: above the receivers of publications, below those of events.
    var senderPath: String {
        test == .fanout ? "/bench" : path(ofReceiver: 0) + "/sender"
    }

    /// The parameters as arguments for the benchmark's other processes.
    var arguments: [String] {
        [
            test.rawValue, "--count", "\(messageCount)", "--size", "\(size)", "--window",
            "\(window)", "--depth", "\(depth)", "--receivers", "\(receivers)",
        ] + (isDurable ? ["--durable"] : [])
    }
}

// MARK: - Options

/// The parameters of a benchmark, the same in all its processes.
struct BenchOptions: ParsableArguments {
    @Argument(
        help: "Kind of test: \(BenchTest.allCases.map(\.rawValue).joined(separator: ", ")).")
    var test: BenchTest

    @Option(help: "Number of messages.")
    var count: Int?

    @Option(help: ArgumentHelp("Size of a payload, in bytes.", valueName: "bytes"))
    var size = 128

    @Option(help: "Number of outcomes that may be awaited at a time, for acked.")
    var window = 256

    @Flag(help: "Durable events, for acked and rtt; a temporary bus stores them in /tmp.")
    var durable = false

    @Option(help: "Number of receivers that each event visits, for chain.")
    var depth = 1

    @Option(help: "Number of receivers of each publication, for fanout.")
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

/// The kinds of benchmarks.
enum BenchTest: String, CaseIterable, ExpressibleByArgument {
    /// Events to one receiver, without acknowledgement.
    case oneway
    /// Events to one receiver, with outcomes, in a window.
    case acked
    /// Events to one receiver, with outcomes, one at a time.
    case rtt
    /// Events, one at a time, through several receivers, of which only the last handles them.
    case chain
    /// Publications to several receivers, without acknowledgement.
    case fanout

    var defaultCount: Int {
        switch self {
        case .oneway, .acked: 300_000
        case .rtt, .fanout: 20_000
        case .chain: 2_000
        }
    }
}
