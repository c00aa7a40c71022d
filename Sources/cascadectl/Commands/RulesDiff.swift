// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Prints the effects of a rules file on the bus.
struct RulesDiff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Print the values that would change if a rules file were active on the bus.",
        discussion: """
            Changes nothing. The file replaces the bus's file of the same name, or is added to the \
            others. Errors in the file are printed as by 'check', and the exit code is 78 then.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "Rules file; '-' for standard input.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "Name, in 'rules list', of the bus's file to replace.",
            valueName: "file"))
    var replaces: String?

    func run() async throws {
        let rules = try RulesText(readingFile: file)
        try rules.expectNoFaults()
        let json = try await bus.withBus { bus in
            let standing = RulesDocument(json: try JSONValue(answer: await bus.link.query(.rules)))
            let name = try name(among: standing.files)
            let subject = Query.Subject.rulesDifference(file: name, text: rules.text)
            return try JSONValue(answer: await bus.link.query(subject))
        }
        try output.conclude(RulesDifferenceDocument(json: json))
    }

    /// Returns the name of the file on the bus.
    private func name(among standing: [String]) throws -> String {
        if let replaces {
            guard standing.contains(replaces) else {
                throw Stop(.absent, "the bus has no rules file '\(replaces)'")
            }
            return replaces
        }
        let place = RealPath.of(file)
        return standing.first { $0 == file || place != nil && RealPath.of($0) == place } ?? file
    }
}
