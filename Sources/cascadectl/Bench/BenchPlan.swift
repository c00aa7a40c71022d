// SPDX-License-Identifier: Apache-2.0

/// What the processes of a bench do, and where they stand in the tree.
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

    /// Messages before the measured ones.
    var warmUpCount: Int {
        test == .rtt || test == .chain ? messageCount / 20 : 0
    }

    /// The first receiver is the nearest to the sender; the last one stands at the top and takes
    /// what the others decline.
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

    /// The plan as arguments, for the bench's other processes.
    var arguments: [String] {
        [
            test.rawValue, "--count", "\(messageCount)", "--size", "\(size)", "--window",
            "\(window)", "--depth", "\(depth)", "--receivers", "\(receivers)",
        ] + (isDurable ? ["--durable"] : [])
    }
}
