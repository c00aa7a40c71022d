// SPDX-License-Identifier: Apache-2.0

import Cascade

/// A drawing of the tree, independent of the output format. Nodes are identified by their indices
/// in tree order.
struct TreePicture: Sendable {
    struct Node: Sendable {
        let lines: [String]
        let state: NodeState
        let isPresented: Bool
        /// The index of the parent; `nil` for the root.
        let parent: Int?
        let depth: Int
        /// The share of the traffic, from 1 to 8.
        let weight: Int
    }

    let nodes: [Node]

    /// - Parameter nodes: A subtree, in tree order.
    init(_ nodes: [NodeSnapshot], showsTraffic: Bool) {
        var places: [NodePath: Int] = [:]
        let top = nodes.first?.path.depth ?? 0
        let visitsMax = nodes.map { $0.counter("visits") ?? 0 }.max() ?? 0
        self.nodes = nodes.enumerated().map { place, node in
            places[node.path] = place
            let visits = node.counter("visits") ?? 0
            var lines = [place == 0 ? node.path.description : node.path.name]
            lines += node.holder.map { ["\($0.processID)"] } ?? []
            if showsTraffic, !node.path.isRoot {
                lines.append("\(visits) visits")
            }
            return Node(
                lines: lines, state: node.state, isPresented: node.isPresented,
                parent: node.path.parent.flatMap { places[$0] }, depth: node.path.depth - top,
                weight: showsTraffic ? Self.weight(visits, of: visitsMax) : 1)
        }
    }

    private static func weight(_ visits: UInt64, of max: UInt64) -> Int {
        max == 0 ? 1 : 1 + Int((Double(visits) / Double(max) * 7).rounded())
    }
}

extension NodeState {
    /// The fill colour of the state.
    var fill: String {
        switch self {
        case .live: "#d7f0d7"
        case .inactive: "#e8e8e8"
        case .unresponsive: "#f6cfcf"
        case .leaving: "#f8efc4"
        case .vacant: "#ffffff"
        }
    }
}
