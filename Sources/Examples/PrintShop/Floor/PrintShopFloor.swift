// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import PrintShopEvents

@main
struct PrintShopFloor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print-shop-floor",
        abstract: "Holds the node above all printers, and prints by hand what none of them takes.")

    @Option(help: "Directory of the ledgers.")
    var out: String

    func run() async throws {
        try await WorkerProcess { Floor(directory: out) }.run()
    }
}
