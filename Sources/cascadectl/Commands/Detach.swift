// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeWire

/// Takes a node out of the tree at once.
struct Detach: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take a node out of the tree at once, and notify its process.")

    @OptionGroup var departure: DepartureOptions

    func run() async throws {
        try await departure.run(
            "Detach", .detach(path: departure.path, withSubtree: departure.subtree),
            told: .detached)
    }
}
