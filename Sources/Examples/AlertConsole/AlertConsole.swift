// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import Glibc

/// A program that shows the alertable errors of a subtree on a terminal. The nodes of the subtree are below
/// its own node:
///
///     alert-console --at /shop/alerts &
///     print-shop-printer … --below /shop/alerts
@main
struct AlertConsole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alert-console",
        abstract: "Shows the alertable errors of a subtree.",
        discussion: """
            It handles errors with a title from the nodes below its own; other errors continue. \
            Alerts are shown one at a time, with --wait each until Return is pressed.
            """)

    @Option(help: "Path of the console's own node.", transform: NodePath.init(validating:))
    var at: NodePath = "/alerts"

    @Flag(help: "Wait for Return after each alert.")
    var wait = false

    func validate() throws {
        guard !at.isRoot else {
            throw ValidationError("a node cannot attach at /; choose --at")
        }
    }

    func run() async {
        let wait = wait
        let sink = AlertSink { alert in
            print("\(alert)" + (alert.node.map { " (\($0))" } ?? ""))
            // Output to a file or pipe is buffered, so it is flushed after each alert.
            fflush(nil)
            if wait {
                _ = readLine()
            }
        }
        await WorkerProcess(mount: at.parent ?? .root) {
            Node(at.name).handleAlertErrors(sink)
        }
        .main()
    }
}
