// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeWire

/// The options of inspections that a dump can answer.
struct InspectionOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Repeat the answer after each change, until interrupted.")
    var watch = false

    @Option(
        help: ArgumentHelp("File of 'dump' to read instead of a live bus.", valueName: "file"),
        completion: .file())
    var dump: String?

    func validate() throws {
        guard dump == nil || !watch else {
            throw ValidationError("--watch and --dump exclude each other: a dump does not change")
        }
    }
}
