// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// A worker for the chaos test. It raises messages that other workers handle, handles theirs, and records
/// all of it for the checker.
///
/// `chaos-worker NAME INCARNATION BELOW FOLDER MILLISECONDS [DURABLE]`: the node's name, the number of
/// its process, the path of its parent, the folder of its history, and the time between two messages.
///
/// With DURABLE it is a probe. At 0 milliseconds it handles each ``Ping``. Otherwise it triggers one at
/// each interval; every DURABLE-th one is durable, or none with 0.
///
/// After SIGUSR1 it raises no more messages, and records `quiet` when all of its messages have ended.
@main
struct ChaosWorker {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 6 || arguments.count == 7, let interval = Int(arguments[5]),
            let durableInterval = arguments.count == 7 ? Int(arguments[6]) : 0,
            interval > 0 || arguments.count == 7,
            let below = try? NodePath(validating: arguments[3])
        else {
            print("usage: chaos-worker NAME INCARNATION BELOW FOLDER MILLISECONDS [DURABLE]")
            exit(64)
        }
        let process = "\(arguments[1]).\(arguments[2])"
        let history = History("\(arguments[4])/\(process).history")
        let node =
            arguments.count == 7
            ? probe(Node(arguments[1]), process, interval, durableInterval, history)
            : worker(Node(arguments[1]), process, below, interval, history)
        history.write("begin")
        do {
            try await WorkerProcess(mount: below, program: process) { node }.run()
            history.write("left")
        } catch {
            print("\(error)")
            exit(1)
        }
    }

    private static func worker(
        _ node: Node, _ process: String, _ below: NodePath, _ interval: Int, _ history: History
    ) -> Node {
        let depth = "\(below)".split(separator: "/").count + 1
        let origin = Origin(process: process, depth: depth, history: history)
        let handler = Handler(depth: depth, history: history)
        return origin.raising(handler.handling(node), every: .milliseconds(interval))
    }

    private static func probe(
        _ node: Node, _ process: String, _ interval: Int, _ durableInterval: Int, _ history: History
    ) -> Node {
        guard interval > 0 else {
            return Echo(history: history).handling(node)
        }
        let caller = Caller(
            process: process, microseconds: interval * 1_000, durableInterval: durableInterval,
            history: history)
        return caller.calling(node)
    }
}
