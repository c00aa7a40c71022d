// SPDX-License-Identifier: Apache-2.0

/// What determines a run.
package struct SimulationOptions: Sendable {
    package var seed: UInt64
    /// How often somebody does something, or something breaks, before everything is healed.
    package var ticks: Int
    package var bug: PlantedBug?
    /// Whether the report is to have everything that happened.
    package var keepsHistory = false

    package static let defaultTicks = 300

    package init(seed: UInt64, ticks: Int = defaultTicks, bug: PlantedBug? = nil) {
        self.seed = seed
        self.ticks = ticks
        self.bug = bug
    }

    /// The command that runs it again.
    package var command: String {
        let length = ticks == Self.defaultTicks ? "" : " --ticks \(ticks)"
        let planted = bug.map { " --bug \($0.rawValue)" } ?? ""
        return "cascade-simulate --seed \(seed)\(length)\(planted)"
    }
}
