// SPDX-License-Identifier: Apache-2.0

/// The parameters of a benchmark, and the paths of its nodes.
struct BenchPlan {
    let test: BenchTest
    let messageCount: Int
    let size: Int
    let window: Int
    let depth: Int
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

    /// The number of messages before the measured ones.
    var warmUpCount: Int {
        test == .rtt || test == .chain ? messageCount / 20 : 0
    }

    /// Returns the path of a receiver. The first is the nearest to the sender; the last is at the
    /// top and handles the events that the others decline.
    func path(ofReceiver index: Int) -> String {
        guard test != .fanout else {
            return "/bench/receiver\(index)"
        }
        return (index..<receiverCount).reversed().reduce(into: "") { $0 += "/receiver\($1)" }
    }

    /// The path of the sender: a publisher is above its subscribers, the origin of an event below
    /// its responders.
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
