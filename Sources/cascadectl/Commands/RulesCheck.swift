// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Checks the syntax of a rules file. It needs no bus.
struct RulesCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say whether a file of rules can be read, and where it cannot.",
        discussion: """
            Takes no bus. Each line that is wrong is told as FILE:LINE:COLUMN: message on standard \
            error, or with --json in the document; exits with 78 then.
            """)

    @OptionGroup var output: OutputOptions

    @Argument(help: "The file; '-' for standard input.", completion: .file())
    var file: String

    func run() throws {
        let rules = try RulesText(readingFile: file)
        if !output.json {
            try rules.expectNoFaults()
        }
        try output.conclude(RulesCheckDocument(text: rules))
    }
}
