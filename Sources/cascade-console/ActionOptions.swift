// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeConsole

/// The options of what pages may change.
struct ActionOptions: ParsableArguments {
    /// The value of the option without a list.
    static let all = ActionKind.words.joined(separator: ",")

    @Option(
        defaultAsFlag: Self.all,
        help: ArgumentHelp(
            """
            Actions that pages may ask for as far as policy allows the console's user, separated by \
            commas: \(ActionKind.words.joined(separator: ", ")). Without a list, all. By default \
            pages only look.
            """, valueName: "list"))
    var allowActions: String? = nil

    func validate() throws {
        // ArgumentParser takes an option with '=' and nothing behind it for the option without a list.
        guard !CommandLine.arguments.contains("--allow-actions=") else {
            throw ValidationError(
                "--allow-actions= names no action; without '=' it allows all, and without the option none is allowed"
            )
        }
        if let allowActions, ActionKind.named(allowActions) == nil {
            throw ValidationError(
                "'\(allowActions)' is not a list of actions; they are \(Self.all)")
        }
    }

    var admitted: Set<ActionKind> {
        allowActions.flatMap(ActionKind.named) ?? []
    }
}
