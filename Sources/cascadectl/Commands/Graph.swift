// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Draws the tree.
struct Graph: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw the hierarchy: for Graphviz, for Mermaid, or as an SVG image.")

    @OptionGroup var inspected: InspectionOptions

    @Argument(help: "Where to begin.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath = .root

    @Option(help: "For what it is drawn.")
    var format = GraphFormat.dot

    @Flag(help: "Say how many visits each node has answered, and draw its edge accordingly.")
    var traffic = false

    func run() async throws {
        try await Inspection(inspected).show(.tree(path: path, depth: .max)) { message, _ in
            document(try TreeAnswer(parsing: message).nodes)
        } dumped: { dump in
            document(try dump.entries(from: path).map(\.node))
        }
    }

    private func document(_ nodes: [NodeSnapshot]) -> GraphDocument {
        GraphDocument(picture: TreePicture(nodes, showsTraffic: traffic), format: format)
    }
}
