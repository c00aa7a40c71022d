// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeJSON
import CascadeWire

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

    /// Prints the document that a command ends with. Throws ``Stop`` where it is no success.
    func conclude(_ document: some Document) throws {
        show(document)
        if document.status != .done {
            throw Stop(document.status)
        }
    }
}
