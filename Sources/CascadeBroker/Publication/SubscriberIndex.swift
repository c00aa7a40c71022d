// SPDX-License-Identifier: Apache-2.0

/// The nodes that subscribe to each name, whatever their state.
struct SubscriberIndex: Sendable {
    private var nodes: [Set<NodeIndex>] = []

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
}
