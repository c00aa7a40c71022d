// SPDX-License-Identifier: Apache-2.0

/// The parameters of a run.
package struct SimulationOptions: Sendable {
    package var seed: UInt64
    /// The number of steps of workload and faults before all faults are repaired.
    package var ticks: Int
    package var bug: PlantedBug?
    /// Whether the report contains the whole history.
    package var keepsHistory = false

    package static let defaultTicks = 300

    package init(seed: UInt64, ticks: Int = defaultTicks, bug: PlantedBug? = nil) {
        self.seed = seed
        self.ticks = ticks
        self.bug = bug
    }

    /// The command that repeats the run.
    package var command: String {
        let length = ticks == Self.defaultTicks ? "" : " --ticks \(ticks)"
        let planted = bug.map { " --bug \($0.rawValue)" } ?? ""
        return "cascade-simulate --seed \(seed)\(length)\(planted)"
    }
}
