// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// A worker for the chaos: it raises without end what others handle, handles what others raise, and
/// writes down all of it, so that somebody else can judge afterwards.
///
/// `chaos-worker NAME INCARNATION BELOW FOLDER MILLISECONDS`: the node's name, how many processes
/// held it before, the path that it stands below, where its history goes, and how long it waits
/// between two things that it raises.
///
/// SIGUSR1 asks it to raise no more. When everything that it raised has ended it is `quiet`.
@main
struct ChaosWorker {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let interval = Int(arguments[5]), interval > 0,
            let below = try? NodePath(validating: arguments[3])
        else {
            print("usage: chaos-worker NAME INCARNATION BELOW FOLDER MILLISECONDS")
            exit(64)
        }
        let process = "\(arguments[1]).\(arguments[2])"
        let history = History("\(arguments[4])/\(process).history")
        let depth = arguments[3].split(separator: "/").count + 1
        let origin = Origin(process: process, depth: depth, history: history)
        let handler = Handler(depth: depth, history: history)
        history.write("begin")
        do {
            try await WorkerProcess(mount: below, program: process) {
                origin.raising(
                    handler.handling(Node(arguments[1])), every: .milliseconds(interval))
            }.run()
            history.write("left")
        } catch {
            print("\(error)")
            exit(1)
        }
    }
}
