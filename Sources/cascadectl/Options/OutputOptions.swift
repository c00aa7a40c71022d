// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// How an answer is shown.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON: one document, or one a line where the command goes on.")
    var json = false

    @Option(help: ArgumentHelp("Colour the text: auto, always or never.", valueName: "when"))
    var color = ColorChoice.auto

    var style: Style {
        Style(isColoured: color.isColoured)
    }

    /// Prints one document, as JSON or as text.
    func show(_ document: some Document) {
        Output.line(json ? document.json.text : document.text(style))
    }
}
