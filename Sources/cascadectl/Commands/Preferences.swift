// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Prints the reduced preferences of a node and its subtree.
struct Preferences: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the preferences of a node and its subtree, each reduced to one value.")

    @OptionGroup var inspected: InspectionOptions

    @Argument(help: "Path of the node.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath = .root

    func run() async throws {
        try await Inspection(inspected).show(.preferences(path: path)) { message, _ in
            PreferencesDocument(json: try JSONValue(answer: message))
        } dumped: { dump in
            let members = try dump.preferences(at: path)
            return PreferencesDocument(
                json: .document(
                    "preferences", ["path": .text(path), "preferences": .object(members)]))
        }
    }
}
