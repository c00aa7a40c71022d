// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// How what only a live bus knows is asked for and shown.
struct WatchOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Go on: show the answer again whenever it changes.")
    var watch = false
}
