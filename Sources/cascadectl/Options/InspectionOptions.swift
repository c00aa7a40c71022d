// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeWire

/// The options of inspections that a dump can answer.
struct InspectionOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Go on: show the answer again whenever it changes.")
    var watch = false

    @Option(
        help: ArgumentHelp("Answer from what 'dump' wrote, not from a bus.", valueName: "file"),
        completion: .file())
    var dump: String?

    func validate() throws {
        guard dump == nil || !watch else {
            throw ValidationError("a dump does not change: --watch and --dump exclude each other")
        }
    }
}
