// SPDX-License-Identifier: Apache-2.0

/// Changes of the nodes.
extension ReferenceModel {
    mutating func attach(_ place: Place, _ node: Node) {
        nodes[place] = node
        activateMostRecently(place)
    }

    /// Activating a node, or subscribing to a new name, makes it the most recent.
    mutating func change(_ place: Place, _ node: Node) {
        let old = nodes[place] ?? Node()
        nodes[place] = node
        let isActivated = node.isActive && !old.isActive
        if isActivated || !node.subscriptions.isSubset(of: old.subscriptions) {
            activateMostRecently(place)
        }
    }

    mutating func activate(_ place: Place, _ isActive: Bool) {
        nodes[place]?.isActive = isActive
        if isActive {
            activateMostRecently(place)
        }
    }

    mutating func remove(_ gone: [Place]) {
        nodes = nodes.filter { !gone.contains($0.key) }
        recency.removeAll { gone.contains($0) }
    }

    private mutating func activateMostRecently(_ place: Place) {
        recency.removeAll { $0 == place }
        recency.append(place)
    }
}
