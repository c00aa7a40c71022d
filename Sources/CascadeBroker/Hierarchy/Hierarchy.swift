// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The tree of places: paths, parents and children. It knows nothing of messages.
struct Hierarchy: ~Copyable {
    /// The bus itself, which is there since the daemon began.
    static let root = NodeIndex.first

    struct Child: Hashable {
        var parent: NodeIndex
        var component: String
    }

    /// When the daemon began.
    let startedAt: Instant
    private(set) var records = Slab<NodeRecord>()
    private(set) var children: [Child: NodeIndex] = [:]
    private var ranks: ActivationRanks
    private var drains = Drains()
    /// How many places are mounts.
    private(set) var mountCount = 0
    /// How many records name places of other buses.
    private(set) var foreignCount = 0
    /// The turns of nodes whose declarations have changed since they were attached.
    private var changeTurns: [NodeIndex: UInt64] = [:]
    /// The holders of places under the previous daemon, until they return or miss their time.
    private var formerHolders: [NodeIndex: FormerHolder] = [:]

    /// The version of the tree, compared by caches: it grows whenever the reachable responders may
    /// have changed.
    private(set) var version: UInt64 = 1

    /// The changes that followers of the tree have yet to get.
    private(set) var changes = TreeChanges()

    init(at now: Instant = Instant(nanoseconds: 0)) {
        startedAt = now
        ranks = ActivationRanks(at: now)
        _ = records.insert(NodeRecord()) { $0.begin(at: now, payer: AccountTable.own) }
    }

    subscript(node: NodeIndex) -> NodeRecord {
        _read { yield records[node] }
        _modify { yield &records[node] }
    }

    /// Records that responders, subscriptions, holders or activity have changed.
    mutating func advanceVersion() {
        version += 1
    }

    // MARK: - Changes

    /// Sets whether a repeating query follows the tree from now on.
    mutating func setFollowed(_ isFollowed: Bool) {
        changes.setFollowed(isFollowed)
    }

    /// What an inspector sees of the place has changed.
    @inline(__always)
    mutating func recordTreeChange(of node: NodeIndex) {
        changes.record(node)
    }

    /// The same, where the state of all below it may have changed too.
    ///
    /// - Parameter wasActive: what ``isActiveItself(_:)`` was before.
    mutating func recordTreeChange(of node: NodeIndex, wasActive: Bool) {
        guard changes.isFollowed else {
            return
        }
        guard isActiveItself(node) != wasActive else {
            changes.record(node)
            return
        }
        for place in subtree(of: node, depth: .max) {
            changes.record(place)
        }
    }

    // MARK: - Ranks

    /// The rank of the last activation.
    var lastRank: UInt64 {
        ranks.last
    }

    /// Returns the rank of an activation now.
    mutating func nextRank() -> UInt64 {
        ranks.next()
    }

    /// The node's declaration has changed: its responders count as new.
    mutating func recordDeclarationChange(of node: NodeIndex) {
        changeTurns[node] = nextRank()
    }

    /// When the node was attached, activated or changed last, as a number that grows.
    func turn(of node: NodeIndex) -> UInt64 {
        max(self[node].rank, changeTurns[node] ?? 0)
    }

    /// Returns the rank of an activation under the previous daemon (``ActivationRanks/admit(_:)``).
    mutating func admit(rank: UInt64) -> UInt64 {
        ranks.admit(rank)
    }

    /// Continues after the last rank of the previous daemon.
    mutating func advanceRanks(beyond rank: UInt64) {
        ranks.advance(beyond: rank)
    }

    // MARK: - Drains

    /// How many drains wait for their nodes to leave.
    var drainCount: Int {
        drains.count
    }

    /// An administrator waits until these nodes have left.
    mutating func beginDrain(_ nodes: [NodeIndex], for peer: PeerID, _ request: UInt64) {
        drains.begin(nodes, for: peer, request)
    }

    /// Removes and returns the drains whose nodes have all left.
    mutating func takeDoneDrains() -> [Drain] {
        drains.takeDone()
    }

    // MARK: - Mounts

    /// The place is a mount from now on, or no longer.
    mutating func setMount(_ node: NodeIndex, _ isMount: Bool) {
        mountCount += (isMount ? 1 : 0) - (records[node].isMount ? 1 : 0)
        records[node].setMount(isMount)
    }

    // MARK: - Places of other buses

    /// Makes a place of another bus, under a path that need not be free: it has a number and a parent, and
    /// is not in the tree. It stays as long as it is pinned.
    mutating func makeForeign(
        _ path: NodePath, below parent: NodeIndex, at now: Instant, _ payer: AccountIndex
    ) -> NodeIndex {
        foreignCount += 1
        return records.makeForeignPlace(path, below: parent, at: now, payer)
    }

    mutating func removeForeign(_ node: NodeIndex) {
        foreignCount -= 1
        records.remove(node)
    }

    // MARK: - Restarting

    /// Restores the previous daemon's state of a place.
    mutating func restore(
        _ place: Handover.Place, at node: NodeIndex, of account: AccountIndex, at now: Instant
    ) {
        records[node].restore(place, of: account, at: now)
        formerHolders[node] = place.former
        setMount(node, place.isMount)
    }

    /// The holder under the previous daemon; `nil` if it has returned or has missed its time.
    func formerHolder(of node: NodeIndex) -> FormerHolder? {
        formerHolders[node]
    }

    /// Removes the holder under the previous daemon, which has returned or has missed its time.
    mutating func forgetFormerHolder(of node: NodeIndex) {
        formerHolders[node] = nil
    }

    // MARK: - Paths

    /// Returns the place at `path`. A missing place is created vacant, with its missing ancestors.
    ///
    /// - Parameter payer: the account charged for a new place.
    mutating func findOrMake(
        _ path: NodePath, at now: Instant, payer: AccountIndex = AccountTable.own
    ) -> NodeIndex {
        var walk = PathWalk(from: Hierarchy.root)
        return findOrMake(path, at: now, payer: payer, along: &walk)
    }

    /// The address of a place is known.
    mutating func keepPath(_ path: NodePath, of node: NodeIndex) {
        records.keepPath(path, of: node)
    }

    /// The holder of the place has gone.
    mutating func vacate(_ node: NodeIndex, at now: Instant) {
        let wasActive = isActiveItself(node)
        records[node].withdraw(at: now)
        records.keepPath(nil, of: node)
        recordTreeChange(of: node, wasActive: wasActive)
        drains.gone(node)
    }

    /// Returns the path of a place, and caches it.
    @inline(__always)
    mutating func keptPath(of node: NodeIndex) -> NodePath {
        records[node].links.keptPath ?? keepPath(of: node)
    }

    private mutating func keepPath(of node: NodeIndex) -> NodePath {
        let path = path(of: node)
        records.keepPath(path, of: node)
        return path
    }

    /// The place, and with it all below it, has another address now.
    private mutating func forgetPaths(below node: NodeIndex) {
        for place in subtree(of: node, depth: .max) {
            records.keepPath(nil, of: place)
        }
    }

    // MARK: - Making, moving and removing

    mutating func make(_ key: Child, at now: Instant, _ payer: AccountIndex) -> NodeIndex {
        let node = records.makePlace(key.component, below: key.parent, at: now, payer)
        link(node, under: key.parent)
        changes.record(node)
        return node
    }

    /// Puts the place, with all below it, under another parent, last among its children. The path
    /// that it gets must be free, and the parent must be neither the place itself nor below it.
    mutating func move(_ node: NodeIndex, under parent: NodeIndex) {
        if changes.isFollowed {
            for place in subtree(of: node, depth: .max) {
                let formerPath = path(of: place)
                changes.record(place, from: formerPath)
            }
        }
        unlink(node)
        link(node, under: parent)
        forgetPaths(below: node)
        let depth = records[parent].links.depth + 1
        let former = records[node].links.depth
        guard depth != former else {
            return
        }
        for place in subtree(of: node, depth: .max) {
            records.changeDepth(of: place, from: former, to: depth)
        }
    }

    /// Removes pins. Returns whether the place is no longer needed.
    @inline(__always)
    mutating func unpin(_ node: NodeIndex, _ count: UInt32 = 1) -> Bool {
        records[node].unpin(count)
    }

    /// Removes the place if it is not needed, then its ancestors in the same way. Returns the
    /// removed places and the accounts charged for them.
    mutating func prune(_ node: NodeIndex) -> [(node: NodeIndex, payer: AccountIndex)] {
        var removed: [(node: NodeIndex, payer: AccountIndex)] = []
        var current = node
        while records[current].isDispensable {
            let parent = self.parent(of: current)
            removed.append((current, records[current].payer))
            setMount(current, false)
            if changes.isFollowed {
                let formerPath = path(of: current)
                changes.record(current, from: formerPath)
            }
            unlink(current)
            records.remove(current)
            formerHolders[current] = nil
            changeTurns[current] = nil
            current = parent
        }
        return removed
    }

    private mutating func link(_ node: NodeIndex, under parent: NodeIndex) {
        records.link(node, under: parent)
        children[key(of: node)] = node
        version += 1
    }

    private mutating func unlink(_ node: NodeIndex) {
        records.unlink(node)
        children[key(of: node)] = nil
        version += 1
    }

    private func key(of node: NodeIndex) -> Child {
        Child(parent: parent(of: node), component: records[node].links.component)
    }
}
