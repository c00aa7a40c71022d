// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The position of a place in the tree. Only the tree changes it, by its table of records.
struct TreeLinks: Sendable {
    /// The last component of the path.
    fileprivate(set) var component = ""
    /// The whole path, cached at the first use by a frequent caller.
    fileprivate(set) var keptPath: NodePath?
    fileprivate(set) var parent = Slab<NodeRecord>.Slot.none
    fileprivate(set) var firstChild = Slab<NodeRecord>.Slot.none
    fileprivate(set) var lastChild = Slab<NodeRecord>.Slot.none
    fileprivate(set) var nextSibling = Slab<NodeRecord>.Slot.none
    fileprivate(set) var previousSibling = Slab<NodeRecord>.Slot.none
    fileprivate(set) var childCount: UInt32 = 0
    fileprivate(set) var depth: UInt32 = 0
    /// Whether it is a place of another bus, which has a parent and is not in the tree.
    fileprivate(set) var isForeign = false
}

/// The links between the records of places.
extension Slab<NodeRecord> {
    /// Makes a place, which is to be linked under its parent.
    mutating func makePlace(
        _ component: String, below parent: NodeIndex, at now: Instant, _ payer: AccountIndex
    ) -> NodeIndex {
        makePlace(below: parent, at: now, payer) { $0.component = component }
    }

    /// Makes a place of another bus, which has a parent and is never linked under it.
    mutating func makeForeignPlace(
        _ path: NodePath, below parent: NodeIndex, at now: Instant, _ payer: AccountIndex
    ) -> NodeIndex {
        makePlace(below: parent, at: now, payer) {
            $0.component = path.name
            $0.keptPath = path
            $0.parent = parent.link
            $0.isForeign = true
        }
    }

    @inline(__always)
    private mutating func makePlace(
        below parent: NodeIndex, at now: Instant, _ payer: AccountIndex,
        _ relink: (inout TreeLinks) -> Void
    ) -> NodeIndex {
        let depth = self[parent].links.depth + 1
        return insert(NodeRecord()) { record in
            record.begin(at: now, payer: payer)
            record.relink {
                relink(&$0)
                $0.depth = depth
            }
        }
    }

    /// Caches the path of a place; `nil` for one that is known no longer.
    mutating func keepPath(_ path: NodePath?, of node: NodeIndex) {
        self[node].relink { $0.keptPath = path }
    }

    /// The depth of a place has changed with that of a place above it.
    mutating func changeDepth(of node: NodeIndex, from former: UInt32, to depth: UInt32) {
        self[node].relink { $0.depth = $0.depth - former + depth }
    }

    /// Links a place under a parent, last among its children.
    mutating func link(_ node: NodeIndex, under parent: NodeIndex) {
        let previous = index(at: self[parent].links.lastChild)
        self[node].relink { $0.parent = parent.link }
        self[node].relink { $0.previousSibling = previous.link }
        self[node].relink { $0.nextSibling = .none }
        if previous == NodeIndex.none {
            self[parent].relink { $0.firstChild = node.link }
        } else {
            self[previous].relink { $0.nextSibling = node.link }
        }
        self[parent].relink { $0.lastChild = node.link }
        self[parent].relink { $0.childCount += 1 }
    }

    /// Takes a place from among the children of its parent. The place still names the parent.
    mutating func unlink(_ node: NodeIndex) {
        let parent = index(at: self[node].links.parent)
        let previous = index(at: self[node].links.previousSibling)
        let next = index(at: self[node].links.nextSibling)
        if previous == NodeIndex.none {
            self[parent].relink { $0.firstChild = next.link }
        } else {
            self[previous].relink { $0.nextSibling = next.link }
        }
        if next == NodeIndex.none {
            self[parent].relink { $0.lastChild = previous.link }
        } else {
            self[next].relink { $0.previousSibling = previous.link }
        }
        self[parent].relink { $0.childCount -= 1 }
    }
}
