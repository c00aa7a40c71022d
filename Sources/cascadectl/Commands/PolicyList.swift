// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Lists the rules of the active policy.
struct PolicyList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the rules of the policy that stands, with the files they are in.",
        discussion: """
            A rule without a file is one of the default policy. A denial wins over everything, \
            what no rule allows is denied, and the order of rules does not matter.
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
