// SPDX-License-Identifier: Apache-2.0

/// The nodes that subscribe to each name, whatever their state.
struct SubscriberIndex: Sendable {
    private var nodes: [[NodeIndex]] = []

    /// The subscribers of a name, in no particular order.
    subscript(name: NameIndex) -> [NodeIndex] {
        name.slot < nodes.count ? nodes[name.slot] : []
    }

    mutating func insert(_ node: NodeIndex, _ name: NameIndex) {
        while nodes.count <= name.slot {
            nodes.append([])
        }
        nodes[name.slot].append(node)
    }

    mutating func remove(_ node: NodeIndex, _ name: NameIndex) {
        if let place = nodes[name.slot].firstIndex(of: node) {
            nodes[name.slot].swapAt(place, nodes[name.slot].count - 1)
            nodes[name.slot].removeLast()
        }
    }
}
