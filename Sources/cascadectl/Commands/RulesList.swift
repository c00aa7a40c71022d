// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Lists the active rules.
struct RulesList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the active rules, by file or node.")

    @OptionGroup var inspected: InspectionOptions

    func run() async throws {
        try await Inspection(inspected).show(.rules) { message, _ in
            RulesDocument(json: try JSONValue(answer: message))
        } dumped: { dump in
            RulesDocument(json: try dump.document("rules"))
        }
    }
}
