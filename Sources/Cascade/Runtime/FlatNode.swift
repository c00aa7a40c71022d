// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// A node with its full path, its declaration for the bus, and its mailbox.
struct FlatNode: Sendable {
    let declaration: NodeDeclaration
    let node: Node
    let mailbox: Mailbox

    /// The path at which the node is attached.
    var path: NodePath {
        declaration.path
    }

    /// Returns nodes with the nodes inside them, outer ones first. Throws ``CascadeError`` if a
    /// name violates the rule for names.
    static func flatten(_ nodes: [Node], under parent: NodePath) throws -> [FlatNode] {
        do {
            return try nodes.flatMap { node in
                let path = try parent.appending(node.name)
                let flat = FlatNode(
                    declaration: try node.declaration(at: path), node: node,
                    mailbox: Mailbox(path, watching: node.values.watchedKeys))
                return [flat] + (try flatten(node.children, under: path))
            }
        } catch let error as NameError {
            throw CascadeError(.badName, error.description)
        }
    }
}

extension Node {
    /// Returns the declaration of the node for the bus.
    fileprivate func declaration(at path: NodePath) throws -> NodeDeclaration {
        var declaration = NodeDeclaration(
            path: path,
            responders: try responders.map { responder in
                ResponderDeclaration(
                    responder.kind, try responder.name.map { try EventName($0) },
                    when: responder.condition?.description)
            },
            subscriptions: try subscriptions.map { try EventName($0.name) }, isActive: isActive,
            takesOver: takesOver, concurrency: UInt16(concurrency),
            prefetch: UInt16(clamping: max(256, concurrency)))
        declaration.isPresented = isPresented
        declaration.wantsOutcomes = !outcomeReceivers.isEmpty
        declaration.detachesOrphans = orphanPolicy == .detach
        declaration.triggers = try triggeredNames.map { try $0.map { try EventName($0) } }
        declaration.reports = try reportedNames.map { try $0.map { try EventName($0) } }
        declaration.safety = safety
        declaration.requiresExplicitResponders = requiresExplicitResponders
        declaration.assignments = try values.assignments()
        return declaration
    }
}
