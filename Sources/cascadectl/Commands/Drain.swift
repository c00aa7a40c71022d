// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeWire

/// Drains a node: takes it out of the tree when it has finished its work.
struct Drain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take a node out of the tree once it has finished its accepted work.")

    @OptionGroup var departure: DepartureOptions

    func run() async throws {
        try await departure.run(
            "Drain", .drain(path: departure.path, withSubtree: departure.subtree),
            told: .drained)
    }
}
