// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON
import CascadePolicy

/// Tests a policy decision.
struct PolicyTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Test whether the policy allows an action, and print the deciding rule.",
        discussion: """
            The subject is a user of this machine with the user's groups, a systemd unit, or both; \
            without an option, the caller. Exits with 3 if the action is denied.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var asked: IdentityOptions

    @Argument(
        help: ArgumentHelp(
            "Action: \(PolicyVerb.allCases.map(\.name).joined(separator: ", "))."),
        completion: .list(PolicyVerb.allCases.map(\.name)))
    var verb: String

    @Argument(help: "Path of the action.", transform: NodePath.argument)
    var path: NodePath

    func run() async throws {
        guard PolicyVerb(name: verb) != nil else {
            let known = PolicyVerb.allCases.map(\.name).joined(separator: ", ")
            throw Stop(.usage, "unknown verb '\(verb)'; the verbs are \(known)")
        }
        let test = PolicyTest(verb, at: path, by: try asked.identity())
        let json = try await bus.withBus { bus in
            try JSONValue(answer: await bus.link.query(.policyTest(test)))
        }
        try output.conclude(PolicyTestDocument(json: json))
    }
}
