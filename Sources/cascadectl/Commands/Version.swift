// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Prints the release of the command line, and that of the bus if it can be reached.
struct Version: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the releases of the command line and of the bus.")

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        output.show(VersionDocument(release: Release.name, welcome: try await welcome()))
    }

    private func welcome() async throws -> Welcome? {
        do {
            return try await bus.withBus(limit: TimeSpan(milliseconds: 2_000)) { $0.welcome }
        } catch let stop as Stop where stop.status == .noBus || stop.status == .tryAgain {
            return nil
        }
    }
}
