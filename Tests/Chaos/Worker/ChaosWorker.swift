// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// A worker for the chaos: it raises without end what others handle, handles what others raise, and
/// writes down all of it, so that a judge can read it afterwards.
///
/// `chaos-worker NAME INCARNATION BELOW FOLDER MILLISECONDS [DURABLE]`: the node's name, how many
/// processes held it before, the path that it stands below, where its history goes, and how long it
/// waits between two things that it raises.
///
/// With DURABLE it is a probe instead. At 0 milliseconds it handles each ``Ping``; else it triggers
/// one at each interval, every DURABLE-th a durable one, none for 0.
///
/// SIGUSR1 asks it to raise no more. When everything that it raised has ended it is `quiet`.
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
