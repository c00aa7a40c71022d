// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeWire

/// A question for the children of a node, which a page asks when it unfolds one whose children frames leave
/// out.
struct ChildrenQuestion: Sendable {
    let path: NodePath
    /// A child that is told even if there are too many.
    let child: NodePath?

    /// What tells the question from others.
    var name: String {
        "\(path) \(child?.name ?? "")"
    }

    /// Asks the bus. Throws `CascadeError` if it refuses.
    func answer(from link: Link) async throws -> AskedTree {
        var nodes: [NodeSnapshot]
        do {
            nodes = try await tree(at: path, depth: 1, link)
        } catch let error as CascadeError where error.reason == .limitReached {
            // All would be longer than an answer may be.
            nodes = try await tree(at: path, depth: 0, link)
        }
        let childCount = Int(nodes.first?.childCount ?? 0)
        nodes = Array(nodes.prefix(AskedTree.nodeCountMax))
        if let child, !nodes.contains(where: { $0.path == child }) {
            nodes += try await treeIfAny(at: child, link)
        }
        let names = UserNames()
        return AskedTree(
            nodes, at: path, now: .now, leftCount: childCount - (nodes.count - 1),
            hasOneLevel: true, userName: names.name)
    }

    private func tree(
        at path: NodePath, depth: UInt32, _ link: Link
    ) async throws -> [NodeSnapshot] {
        try TreeAnswer(parsing: await link.query(.tree(path: path, depth: depth))).nodes
    }

    private func treeIfAny(at path: NodePath, _ link: Link) async throws -> [NodeSnapshot] {
        do {
            return try await tree(at: path, depth: 0, link)
        } catch let error as CascadeError where error.reason == .noSuchNode {
            return []
        }
    }
}
