// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The nodes that subscribe to each name, whatever their state, and who of them gets a publication.
struct Subscribers: Sendable {
    private var nodes: [Set<NodeIndex>] = []
    private var chooser = RecipientChooser()

    /// The subscribers of a name.
    subscript(name: NameIndex) -> Set<NodeIndex> {
        name.slot < nodes.count ? nodes[name.slot] : []
    }

    mutating func insert(_ node: NodeIndex, _ name: NameIndex) {
        while nodes.count <= name.slot {
            nodes.append([])
        }
        nodes[name.slot].insert(node)
    }

    mutating func remove(_ node: NodeIndex, _ name: NameIndex) {
        nodes[name.slot].remove(node)
    }

    /// The recipients of a publication of `name` from `publisher`, in the order of their
    /// activation.
    mutating func recipients(
        of name: NameIndex, from publisher: NodeIndex, to destination: PublishingDestination,
        in hierarchy: borrowing Hierarchy
    ) -> [NodeIndex] {
        if let known = chooser.known(name, publisher, destination, hierarchy.version) {
            return known
        }
        return chooser.choose(name, publisher, destination, among: self[name], in: hierarchy)
    }

    /// Whether several of these nodes, all those of one session, subscribe to the name.
    mutating func hasSeveral(
        of name: NameIndex, among nodes: [NodeIndex], of holder: PeerID,
        in hierarchy: borrowing Hierarchy
    ) -> Bool {
        chooser.hasSeveral(of: name, among: nodes, of: holder, in: hierarchy)
    }
}
