// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Prints one undelivered event in full.
struct UndeliveredShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print one undelivered or held message in full.",
        discussion: "The payload of a held message is left out if it exceeds 64 KiB.")

    @OptionGroup var inspected: InspectionOptions

    @Argument(help: "ID of the message.", completion: .undelivered, transform: EventID.argument)
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
