// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Lists the rules of the active policy.
struct PolicyList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the rules of the active policy, with their files.",
        discussion: """
            A rule without a file belongs to the default policy. A denying rule overrides all \
            others, actions without an allowing rule are denied, and the order of the rules does \
            not matter.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let json = try await bus.withBus { bus in
            try JSONValue(answer: await bus.link.query(.policy))
        }
        try output.conclude(PolicyDocument(json: json))
    }
}
