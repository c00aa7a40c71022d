// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Whether an answer is shown again whenever it changes.
struct WatchOption: ParsableArguments {
    @Flag(help: "Go on: show the answer again whenever it changes.")
    var watch = false
}
