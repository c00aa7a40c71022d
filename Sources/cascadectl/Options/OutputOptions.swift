// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeJSON
import CascadeWire

/// The output format.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON: one document, or one per line if the command goes on.")
    var json = false

    @Option(help: ArgumentHelp("Coloured text: auto, always or never.", valueName: "when"))
    var color = ColorChoice.auto

    var style: Style {
        Style(isColoured: color.isColoured)
    }

    /// Prints a document, as JSON or text.
    func show(_ document: some Document) {
        Output.line(json ? document.json.text : document.text(style))
    }

    /// Prints the final document of a command. Throws ``Stop`` unless it is a success.
    func conclude(_ document: some Document) throws {
        show(document)
        if document.status != .done {
            throw Stop(document.status)
        }
    }
}
