// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection

/// Prints the reduced preferences of a node and its subtree.
struct Preferences: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the reduced preferences of a subtree.",
        discussion: """
            A node's own offer replaces the offers of all nodes below it. Without one, the offers of \
            its children are combined by the key's reducer, in the order in which the children \
            attached.

            Example: cascadectl preferences /kitchen
            """)

    @OptionGroup var inspected: InspectionOptions

    @Argument(help: "Path of the node.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath = .root

    func run() async throws {
        try await Inspection(inspected).show(.preferences(path: path)) { message, _ in
            try ShownDocument<PreferencesDocument>(message)
        } dumped: { dump in
            let entry = try dump.preferences(at: path)
            return ShownDocument(
                PreferencesDocument(
                    path: path, preferences: entry.preferences, reducers: entry.reducers))
        }
    }
}
