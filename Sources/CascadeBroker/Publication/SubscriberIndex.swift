// SPDX-License-Identifier: Apache-2.0

/// The nodes that subscribe to each name, whatever their state.
struct SubscriberIndex: Sendable {
    private var nodes: [[UInt32]] = []

    /// The subscribers of a name, in no particular order.
    subscript(name: UInt32) -> [UInt32] {
        name < nodes.count ? nodes[Int(name)] : []
    }

    mutating func insert(_ node: UInt32, _ name: UInt32) {
        while nodes.count <= name {
            nodes.append([])
        }
        nodes[Int(name)].append(node)
    }

    mutating func remove(_ node: UInt32, _ name: UInt32) {
        if let place = nodes[Int(name)].firstIndex(of: node) {
            nodes[Int(name)].swapAt(place, nodes[Int(name)].count - 1)
            nodes[Int(name)].removeLast()
        }
    }
}
