// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeJSON
import CascadeWire
import Glibc

/// The format of a command's output.
protocol OutputFormat: Sendable {
    /// Whether documents are printed as JSON instead of text.
    var json: Bool { get }

    var style: Style { get }
}

/// The options for the format of the output.
struct OutputOptions: ParsableArguments, OutputFormat {
    @Flag(help: "Output as JSON: one document, or one per line of a command that keeps running.")
    var json = false

    @Option(help: ArgumentHelp("Coloured text: auto, always or never.", valueName: "when"))
    var color = ColorChoice.auto

    var style: Style {
        Style(isColoured: color.isColoured, width: Terminal.size?.columns)
    }
}

/// The options for the format of an output whose text has no colours.
struct PlainOutputOptions: ParsableArguments, OutputFormat {
    @Flag(help: "Output as JSON: one document, or one per line of a command that keeps running.")
    var json = false

    // Every command accepts the option, because scripts may pass it to all of them.
    @Option(help: .hidden) var color = ColorChoice.auto

    var style: Style {
        Style(isColoured: false, width: Terminal.size?.columns)
    }
}

extension OutputFormat {
    /// Prints a document, as JSON or text.
    func show(_ document: some Document) {
        Output.line(json ? document.json.text : document.text(style))
    }

    /// Prints the final document of a command. Throws ``Stop`` with the document's exit status
    /// unless that is `done`.
    func conclude(_ document: some Document) throws {
        show(document)
        if document.status != .done {
            throw Stop(document.status)
        }
    }
}

/// The choice of coloured text.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    case auto
    case always
    case never

    /// Whether text is coloured. `auto` colours text for a terminal, unless the environment
    /// decides otherwise (no-color.org, bixense.com/clicolors).
    var isColoured: Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto:
            if isSet("NO_COLOR") {
                false
            } else if isSet("CLICOLOR_FORCE") {
                true
            } else {
                isatty(STDOUT_FILENO) == 1 && variable("TERM") != "dumb"
            }
        }
    }

    private func isSet(_ name: String) -> Bool {
        let value = variable(name) ?? ""
        return !value.isEmpty && (name == "NO_COLOR" || value != "0")
    }

    private func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
