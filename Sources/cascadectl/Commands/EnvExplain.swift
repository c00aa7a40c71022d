// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Explains the value of a key.
struct EnvExplain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show every candidate for a key's value, in order, and why it won or lost.",
        discussion: """
            Exits with 4 if the key has no value at the node, and prints the candidates all the \
            same.
            """)

    @OptionGroup var watched: WatchOptions

    @Argument(help: "Name of the key.", completion: .keys, transform: EventName.argument)
    var key: EventName

    @OptionGroup var reader: ReaderOptions

    func run() async throws {
        let subject = Query.Subject.explanation(key: key, path: reader.at)
        try await Inspection(watched).show(subject) { message, _ in
            ExplanationDocument(json: try JSONValue(answer: message))
        }
    }
}
