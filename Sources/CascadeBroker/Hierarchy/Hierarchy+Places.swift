// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Reads of places.
extension Hierarchy {
    // MARK: - Numbers

    /// One more than the greatest number that a place has.
    var slotCount: Int {
        records.slotCount
    }

    /// The counters of the place with a number; `nil` if there is none in the tree.
    func counters(ofNumber number: UInt32) -> (node: NodeIndex, counters: NodeCounters)? {
        guard let node = records.index(ofNumber: number), !records[node].links.isForeign else {
            return nil
        }
        return (node, records[node].counters)
    }

    /// How many places there are, the root included.
    var count: Int {
        records.count - foreignCount
    }

    // MARK: - Holders

    func contains(_ node: NodeIndex) -> Bool {
        records.contains(node)
    }

    /// Returns the place with this number in messages; `nil` if there is none.
    func node(_ number: UInt32) -> NodeIndex? {
        records.index(ofNumber: number)
    }

    /// Whether `peer` holds the node now: it may have been taken over while a message about it was on its
    /// way.
    @inline(__always)
    func holds(_ peer: PeerID, _ node: NodeIndex) -> Bool {
        records.contains(node) && records[node].holder == peer
    }

    /// The node that has this number in messages, if `peer` holds it.
    @inline(__always)
    func node(_ number: UInt32, heldBy peer: PeerID) -> NodeIndex? {
        node(number).flatMap { holds(peer, $0) ? $0 : nil }
    }

    /// The same. Throws if it is not.
    @inline(__always)
    func node(_ number: UInt32, of peer: PeerID) throws(WireError) -> NodeIndex {
        guard let node = node(number, heldBy: peer) else {
            throw Self.notHeld(number)
        }
        return node
    }

    @inline(never)
    private static func notHeld(_ number: UInt32) -> WireError {
        WireError(.noSuchNode, "the node \(number) is not, or no longer, this session's")
    }

    // MARK: - Paths

    /// The place at `path`, if there is one.
    func find(_ path: NodePath) -> NodeIndex? {
        let (node, isWhole) = descend(path)
        return isWhole ? node : nil
    }

    /// The place at `path`, or at the nearest path above it where there is one.
    func findNearest(_ path: NodePath) -> NodeIndex {
        descend(path).node
    }

    /// Returns the last place on the way from the root to `path`, and whether it is that of the whole path.
    private func descend(_ path: NodePath) -> (node: NodeIndex, isWhole: Bool) {
        var node = Self.root
        for component in path.components {
            guard let child = children[Child(parent: node, component: String(component))] else {
                return (node, false)
            }
            node = child
        }
        return (node, true)
    }

    /// The address of a place.
    func path(of node: NodeIndex) -> NodePath {
        if let path = records[node].links.keptPath {
            return path
        }
        var components: [String] = []
        var current = node
        while current != Self.root {
            components.append(records[current].links.component)
            current = parent(of: current)
        }
        return NodePath(joining: components.reversed())
    }

    // MARK: - Above and below

    /// The mount at the place or above it, if there is one.
    func mount(atOrAbove node: NodeIndex) -> NodeIndex? {
        guard mountCount > 0 else {
            return nil
        }
        var place = node
        while place != NodeIndex.none {
            if records[place].isMount {
                return place
            }
            place = parent(of: place)
        }
        return nil
    }

    /// The mount above a path, whose place need not exist.
    func mount(above path: NodePath) -> NodeIndex? {
        mountCount > 0 ? path.parent.flatMap { mount(atOrAbove: findNearest($0)) } : nil
    }

    /// Whether `node` is `ancestor` or lies below it.
    func isAtOrBelow(_ node: NodeIndex, _ ancestor: NodeIndex) -> Bool {
        let depth = records[ancestor].links.depth
        var current = node
        while records[current].links.depth > depth {
            current = parent(of: current)
        }
        return current == ancestor
    }

    /// The places at and below `node`, depth first, children in the order in which they were made,
    /// no deeper than `depth` levels below it.
    func subtree(of node: NodeIndex, depth: UInt32) -> [NodeIndex] {
        var found: [NodeIndex] = []
        var pending = [node]
        let deepest = UInt64(records[node].links.depth) + UInt64(depth)
        while let next = pending.popLast() {
            found.append(next)
            guard UInt64(records[next].links.depth) < deepest else {
                continue
            }
            var child = records.index(at: records[next].links.lastChild)
            while child != NodeIndex.none {
                pending.append(child)
                child = records.index(at: records[child].links.previousSibling)
            }
        }
        return found
    }

    /// The places at and below `node`, in any order; `nil` if there are more than `countMax`.
    func subtree(of node: NodeIndex, countMax: Int) -> [NodeIndex]? {
        var found = [node]
        var next = 0
        while next < found.count {
            var child = firstChild(of: found[next])
            while child != NodeIndex.none {
                guard found.count < countMax else {
                    return nil
                }
                found.append(child)
                child = nextSibling(of: child)
            }
            next += 1
        }
        return found
    }

    /// The places right below `node`, in the order in which they came there.
    func children(of node: NodeIndex) -> [NodeIndex] {
        var found: [NodeIndex] = []
        var child = firstChild(of: node)
        while child != NodeIndex.none {
            found.append(child)
            child = nextSibling(of: child)
        }
        return found
    }

    /// The place right above; none above the root.
    @inline(__always)
    func parent(of node: NodeIndex) -> NodeIndex {
        records.index(at: records[node].links.parent)
    }

    /// Returns the oldest child of a place; none if it has no children.
    func firstChild(of node: NodeIndex) -> NodeIndex {
        records.index(at: records[node].links.firstChild)
    }

    /// The place that came below the same parent next; none if it is the last.
    func nextSibling(of node: NodeIndex) -> NodeIndex {
        records.index(at: records[node].links.nextSibling)
    }

    /// The place right below `parent` that is called so, if there is one.
    func child(of parent: NodeIndex, named component: String) -> NodeIndex? {
        children[Child(parent: parent, component: component)]
    }
}
