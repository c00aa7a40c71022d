// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import PrintShopEvents

@main
struct PrintShopDisplay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print-shop-display",
        abstract: "Shows what the shop announces, and who is at the door.")

    @Argument(help: "What the display is called: its node's name.")
    var name: String

    @Option(help: "The path that the display hangs below.", transform: NodePath.init(validating:))
    var below: NodePath = "/shop"

    @Option(help: "The file to show things in.")
    var screen = "/dev/stdout"

    func run() async throws {
        let screen = Ledger(screen)
        try await WorkerProcess(mount: below) { Display(name: name, screen: screen) }.run()
    }
}
