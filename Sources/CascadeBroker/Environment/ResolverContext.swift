// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeJSON
import CascadeWire

/// The sources of the built-in keys.
struct ResolverContext: Sendable {
    let bus: String
    let host: String

    func value(
        of key: BuiltInKey, for node: NodeIndex, in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable
    ) -> KeyValue? {
        switch key {
        case .nodePath: KeyValue(.string(hierarchy.path(of: node).description))
        case .nodeName:
            KeyValue(.string(node == Hierarchy.root ? "/" : hierarchy[node].links.component))
        case .nodeDepth: KeyValue(.integer(hierarchy[node].links.depth))
        case .nodeUser:
            holder(of: node, in: hierarchy, peers).map { KeyValue(.integer($0.userID)) }
        case .nodeUnit: text(holder(of: node, in: hierarchy, peers)?.unit ?? "")
        case .busName: text(bus)
        case .hostName: text(host)
        }
    }

    private func holder(
        of node: NodeIndex, in hierarchy: borrowing Hierarchy, _ peers: borrowing PeerTable
    ) -> Credentials? {
        guard let peer = hierarchy[node].holder else {
            return nil
        }
        return peers[peer].credentials
    }

    /// An unknown value counts as no value.
    private func text(_ text: String) -> KeyValue? {
        text.isEmpty ? nil : KeyValue(.string(text))
    }
}

/// A point of view on the environment: the node's own, or that of its descendants.
struct View: Hashable, Sendable {
    var place: NodeIndex
    var isItself: Bool

    /// Returns the view of the part beyond its own place; `nil` at the root.
    ///
    /// A presented node reads as its parent does, and so does not see the values that the parent
    /// sets for its subtree.
    func outer(in hierarchy: borrowing Hierarchy) -> View? {
        guard place != Hierarchy.root else {
            return nil
        }
        return View(
            place: hierarchy.parent(of: place), isItself: hierarchy[place].isPresented)
    }
}
