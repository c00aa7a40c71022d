// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options of inspections that only a live bus can answer.
struct WatchOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Repeat the answer after each change, until interrupted.")
    var watch = false
}
