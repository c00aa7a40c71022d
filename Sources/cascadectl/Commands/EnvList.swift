// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Lists the environment of a node.
struct EnvList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List a node's environment, with the provenance of each value.")

    @OptionGroup var inspected: InspectionOptions

    @OptionGroup var reader: ReaderOptions

    func run() async throws {
        let subject = Query.Subject.environment(path: reader.at, key: nil)
        try await Inspection(inspected).show(subject) { message, _ in
            ValuesDocument(json: try JSONValue(answer: message))
        } dumped: { dump in
            ValuesDocument(
                json: .document("env", ["values": .array(try dump.environment(at: reader.at))]))
        }
    }
}
