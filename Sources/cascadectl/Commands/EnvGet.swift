// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Prints the value of a key at a node.
struct EnvGet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print the value of a key at a node, as JSON.",
        discussion: "Exits with 4 if the key has no value at the node.")

    @OptionGroup var inspected: InspectionOptions

    @Argument(help: "Name of the key.", completion: .keys, transform: EventName.argument)
    var key: EventName

    @OptionGroup var reader: ReaderOptions

    func run() async throws {
        let subject = Query.Subject.environment(path: reader.at, key: key)
        try await Inspection(inspected).show(subject) { message, _ in
            ValueDocument(json: try JSONValue(answer: message))
        } dumped: { dump in
            let values = try dump.environment(at: reader.at)
            guard let value = values.first(where: { $0["key"]?.string == key.description }) else {
                throw Stop(.absent, "the key '\(key)' has no value at '\(reader.at)' in the dump")
            }
            return ValueDocument(
                json: .document(
                    "env", ["key": value["key"], "value": value["value"], "from": value["from"]]))
        }
    }
}
