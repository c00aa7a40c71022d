// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Prints the environment of a node, and each change.
struct EnvWatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print a node's environment, and each change, until interrupted.",
        discussion: """
            Prints one line for each key with a value, then one for each change. Changes in quick \
            succession are combined; 'attach --watch-env' prints each of them.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Argument(
        help: "Name of the key; otherwise all keys.", completion: .keys,
        transform: EventName.argument)
    var key: EventName?

    @OptionGroup var reader: ReaderOptions

    func run() async throws {
        let subject = Query.Subject.environment(path: reader.at, key: nil)
        let output = output
        try await bus.watchBus {
            output.show($0)
        } _: { bus in
            var known = ReadValues()
            var place = PlaceWatch()
            for await message in try await bus.link.watch(subject) {
                try await place.show {
                    let json = try JSONValue(answer: try Bus.answer(message))
                    for change in known.changes(to: ValuesDocument(json: json), of: key) {
                        output.show(change)
                    }
                } absence: {
                    output.show($0)
                }
            }
        }
    }
}
