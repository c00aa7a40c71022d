// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import PrintShopEvents

@main
struct PrintShopFloor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print-shop-floor",
        abstract: "Holds the place above all printers: it does by hand what none of them takes.")

    @Option(help: "The directory of its ledgers.")
    var out: String

    func run() async throws {
        try await WorkerProcess { Floor(directory: out) }.run()
    }
}
