// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Prints one undelivered event in full.
struct UndeliveredShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one of them, whole.",
        discussion: "Of a held event a payload of more than 64 KiB is left out.")

    @OptionGroup var inspected: InspectionOptions

    @Argument(help: "The event's ID.", completion: .undelivered, transform: EventID.argument)
    var id: EventID

    func run() async throws {
        try await Inspection(inspected).show(.undelivered) { message, _ in
            let all = UndeliveredDocument(json: try JSONValue(answer: message))
            return UndeliveredEventDocument(document: try all.only(id))
        } dumped: { dump in
            let all = UndeliveredDocument(json: try dump.document("undelivered"))
            return UndeliveredEventDocument(document: try all.only(id))
        }
    }
}
