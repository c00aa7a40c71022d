// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import Glibc

/// Shows a subtree's alertable errors at a terminal. Below it stand the nodes that it watches over:
///
///     alert-console --at /shop/alerts &
///     print-shop-printer … --below /shop/alerts
@main
struct AlertConsole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alert-console",
        abstract: "Shows the errors of a part of the tree that have words for people.",
        discussion: """
            It handles errors that have a title, of the nodes below it; other errors go on. \
            Several at once are shown one after the other; with --wait each until Return is pressed.
            """)

    @Option(help: "The node to be.", transform: NodePath.init(validating:))
    var at: NodePath = "/alerts"

    @Flag(help: "Wait for Return after each alert.")
    var wait = false

    func validate() throws {
        guard !at.isRoot else {
            throw ValidationError("nobody attaches at /")
        }
    }

    func run() async throws {
        let wait = wait
        let sink = AlertSink { alert in
            print("\(alert)" + (alert.node.map { " (\($0))" } ?? ""))
            // Whoever reads a file or a pipe wants to see it now.
            fflush(nil)
            if wait {
                _ = readLine()
            }
        }
        try await WorkerProcess(mount: at.parent ?? .root) {
            Node(at.name).handleAlertErrors(sink)
        }
        .run()
    }
}
