// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Lists undelivered and held messages.
struct UndeliveredList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the undelivered and held messages, one a line.")

    @OptionGroup var inspected: InspectionOptions

    func run() async throws {
        try await Inspection(inspected).show(.undelivered) { message, _ in
            UndeliveredDocument(json: try JSONValue(answer: message))
        } dumped: { dump in
            UndeliveredDocument(json: try dump.document("undelivered"))
        }
    }
}
