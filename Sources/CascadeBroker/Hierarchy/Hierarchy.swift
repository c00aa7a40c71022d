// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The tree of places. It knows paths, parents and children, not what travels between them.
struct Hierarchy {
    /// The bus itself.
    static let root: UInt32 = 0

    private struct Child: Hashable {
        var parent: UInt32
        var component: String
    }

    private var records = Slab<NodeRecord>()
    private var children: [Child: UInt32] = [:]

    /// Grows whenever what can be reached from where may have changed; caches compare it.
    private(set) var version: UInt64 = 1

    init() {
        _ = records.insert(NodeRecord()) { _ in }
    }

    /// How many places there are, the root included.
    var count: Int {
        records.count
    }

    subscript(node: UInt32) -> NodeRecord {
        _read { yield records[node] }
        _modify { yield &records[node] }
    }

    func contains(_ node: UInt32) -> Bool {
        records.contains(node)
    }

    func contains(_ node: UInt32, generation: UInt32) -> Bool {
        records.contains(node, generation: generation)
    }

    /// Tells the place from others that have its number later.
    func generation(_ node: UInt32) -> UInt32 {
        records.generation(node)
    }

    /// Whether the node is in the hands of `peer`, now: it may have been taken over while a message
    /// about it was on its way.
    func holds(_ peer: PeerID, _ node: UInt32) -> Bool {
        records.contains(node) && records[node].holder == peer
    }

    /// The node, if it is in the hands of `peer`.
    func node(_ node: UInt32, of peer: PeerID) throws(WireError) -> UInt32 {
        guard holds(peer, node) else {
            throw WireError(.noSuchNode, "the node \(node) is not, or no longer, this session's")
        }
        return node
    }

    /// Says that responders, subscriptions, holders or activity have changed.
    mutating func noteChange() {
        version += 1
    }

    // MARK: - Paths

    /// The place at `path`, if there is one.
    func find(_ path: NodePath) -> UInt32? {
        var node = Self.root
        for component in path.components {
            guard let child = children[Child(parent: node, component: String(component))] else {
                return nil
            }
            node = child
        }
        return node
    }

    /// The place at `path`, or at the nearest path above it where there is one.
    func findNearest(_ path: NodePath) -> UInt32 {
        var node = Self.root
        for component in path.components {
            guard let child = children[Child(parent: node, component: String(component))] else {
                return node
            }
            node = child
        }
        return node
    }

    /// How many places would have to be made for all of `paths` to exist.
    func missingCount(_ paths: some Sequence<NodePath>) -> Int {
        var imagined: [Child: UInt32] = [:]
        for path in paths {
            var node = Self.root
            for component in path.components {
                let key = Child(parent: node, component: String(component))
                if let child = children[key] ?? imagined[key] {
                    node = child
                } else {
                    node = Header.noNode - 1 - UInt32(imagined.count)
                    imagined[key] = node
                }
            }
        }
        return imagined.count
    }

    /// The place at `path`, made now, vacant, with its missing ancestors, if there is none.
    ///
    /// - Parameter payer: the account that a new place is charged to.
    mutating func findOrMake(
        _ path: NodePath, at now: Instant, payer: UInt32 = AccountTable.own
    ) -> UInt32 {
        var node = Self.root
        for component in path.components {
            let key = Child(parent: node, component: String(component))
            node = children[key] ?? make(key, at: now, payer)
        }
        return node
    }

    /// The address of a place.
    func path(of node: UInt32) -> NodePath {
        if let path = records[node].keptPath {
            return path
        }
        var components: [String] = []
        var current = node
        while current != Self.root {
            components.append(records[current].component)
            current = records[current].parent
        }
        return NodePath(joining: components.reversed())
    }

    /// The address of a place, which is kept for the next who asks.
    mutating func keptPath(of node: UInt32) -> NodePath {
        if let path = records[node].keptPath {
            return path
        }
        let path = path(of: node)
        records[node].keptPath = path
        return path
    }

    /// The place, and with it all below it, has another address now.
    private mutating func forgetPaths(below node: UInt32) {
        for place in subtree(of: node, depth: .max) {
            records[place].keptPath = nil
        }
    }

    /// Whether `node` is `ancestor` or lies below it.
    func isAtOrBelow(_ node: UInt32, _ ancestor: UInt32) -> Bool {
        let depth = records[ancestor].depth
        var current = node
        while records[current].depth > depth {
            current = records[current].parent
        }
        return current == ancestor
    }

    /// The places at and below `node`, depth first, children in the order in which they were made,
    /// no deeper than `depth` levels below it.
    func subtree(of node: UInt32, depth: UInt32) -> [UInt32] {
        var found: [UInt32] = []
        var pending = [node]
        let deepest = UInt64(records[node].depth) + UInt64(depth)
        while let next = pending.popLast() {
            found.append(next)
            guard UInt64(records[next].depth) < deepest else {
                continue
            }
            var child = records[next].lastChild
            while child != Header.noNode {
                pending.append(child)
                child = records[child].previousSibling
            }
        }
        return found
    }

    /// The places at and below `node`, in any order; `nil` if there are more than `countMax`.
    func subtree(of node: UInt32, countMax: Int) -> [UInt32]? {
        var found = [node]
        var next = 0
        while next < found.count {
            var child = records[found[next]].firstChild
            while child != Header.noNode {
                guard found.count < countMax else {
                    return nil
                }
                found.append(child)
                child = records[child].nextSibling
            }
            next += 1
        }
        return found
    }

    /// The places right below `node`, in the order in which they came there.
    func children(of node: UInt32) -> [UInt32] {
        var found: [UInt32] = []
        var child = records[node].firstChild
        while child != Header.noNode {
            found.append(child)
            child = records[child].nextSibling
        }
        return found
    }

    /// The place right below `parent` that is called so, if there is one.
    func child(of parent: UInt32, named component: String) -> UInt32? {
        children[Child(parent: parent, component: component)]
    }

    // MARK: - Making, moving and removing

    private mutating func make(_ key: Child, at now: Instant, _ payer: UInt32) -> UInt32 {
        let depth = records[key.parent].depth + 1
        let node = records.insert(NodeRecord()) { record in
            record = NodeRecord()
            record.component = key.component
            record.depth = depth
            record.since = now
            record.payer = payer
        }
        link(node, under: key.parent)
        return node
    }

    /// Puts the place, with all below it, under another parent, last among its children. The path
    /// that it gets must be free, and the parent must be neither the place itself nor below it.
    mutating func move(_ node: UInt32, under parent: UInt32) {
        unlink(node)
        link(node, under: parent)
        forgetPaths(below: node)
        let depth = records[parent].depth + 1
        let former = records[node].depth
        guard depth != former else {
            return
        }
        for place in subtree(of: node, depth: .max) {
            records[place].depth = records[place].depth - former + depth
        }
    }

    /// Removes the place if nothing needs it, then its ancestors in the same way. Returns what was
    /// removed.
    mutating func prune(_ node: UInt32) -> [UInt32] {
        var removed: [UInt32] = []
        var current = node
        while records[current].isDispensable {
            let parent = records[current].parent
            unlink(current)
            records.remove(current)
            removed.append(current)
            current = parent
        }
        return removed
    }

    private mutating func link(_ node: UInt32, under parent: UInt32) {
        let previous = records[parent].lastChild
        records[node].parent = parent
        records[node].previousSibling = previous
        records[node].nextSibling = Header.noNode
        if previous == Header.noNode {
            records[parent].firstChild = node
        } else {
            records[previous].nextSibling = node
        }
        records[parent].lastChild = node
        records[parent].childCount += 1
        children[Child(parent: parent, component: records[node].component)] = node
        version += 1
    }

    private mutating func unlink(_ node: UInt32) {
        let record = records[node]
        if record.previousSibling == Header.noNode {
            records[record.parent].firstChild = record.nextSibling
        } else {
            records[record.previousSibling].nextSibling = record.nextSibling
        }
        if record.nextSibling == Header.noNode {
            records[record.parent].lastChild = record.previousSibling
        } else {
            records[record.nextSibling].previousSibling = record.previousSibling
        }
        records[record.parent].childCount -= 1
        children[Child(parent: record.parent, component: record.component)] = nil
        version += 1
    }
}
