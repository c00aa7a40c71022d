// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Checks the syntax of a rules file. It needs no bus.
struct RulesCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the syntax of a rules file.",
        discussion: """
            Needs no bus. Each error is printed as FILE:LINE:COLUMN: message on standard error, or \
            with --json in the document; the exit code is 78 then.
            """)

    @OptionGroup var output: OutputOptions

    @Argument(help: "Rules file; '-' for standard input.", completion: .file())
    var file: String

    func run() throws {
        let rules = try RulesText(readingFile: file)
        if !output.json {
            try rules.expectNoFaults()
        }
        try output.conclude(RulesCheckDocument(text: rules))
    }
}
