// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection

/// Draws the tree.
struct Graph: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw the tree for Graphviz, Mermaid or as SVG.",
        discussion: """
            Example: cascadectl graph --format svg --traffic > tree.svg
            """)

    @OptionGroup var inspected: InspectionOptions

    @Argument(
        help: "Root of the subtree to draw.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath = .root

    @Option(help: "Output format.")
    var format = GraphFormat.dot

    @Flag(help: "Number of answered visits of each node, by which its edge is scaled.")
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
