// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Checks the declarations in the tree.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the declarations in the tree.",
        discussion: """
            Reports declared names without a responder, unreachable responders, and undeclared \
            names that have been raised. Exits with 0 without findings, and with 3 otherwise.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, nagios
    }

    @OptionGroup var inspected: InspectionOptions

    @Option(help: "Output format; --json is the same as json.")
    var format = Format.text

    func run() async throws {
        var shown = inspected
        shown.output.json = inspected.output.json || format == .json
        let isLine = format == .nagios
        try await Inspection(shown).show(.check) { message, _ in
            Self.document(try JSONValue(answer: message), isLine)
        } dumped: { dump in
            Self.document(try dump.document("check"), isLine)
        }
    }

    private static func document(_ json: JSONValue, _ isLine: Bool) -> any Document {
        let document = CheckDocument(json: json)
        return isLine ? NagiosDocument(check: document) : document
    }
}
