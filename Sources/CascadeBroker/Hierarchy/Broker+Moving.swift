// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Moves: a node, with everything below it, gets another parent.
extension Broker {
    /// Nothing has changed when this throws.
    mutating func move(
        _ path: NodePath, under destination: NodePath, by peer: PeerID
    ) throws(WireError) {
        guard !path.isRoot else {
            throw WireError(.rootReserved, "the root / is the bus itself and cannot be moved")
        }
        let node = try place(at: path)
        let parent = try place(at: destination)
        guard !hierarchy.isAtOrBelow(parent, node) else {
            throw WireError(
                .cycle, "'\(path)' cannot be moved under '\(destination)', which is at or below it")
        }
        let former = hierarchy.parent(of: node)
        guard parent != former else {
            return
        }
        if let mount = hierarchy.mount(atOrAbove: parent) {
            throw WireError(
                .pathTaken,
                "'\(path)' cannot be moved to or below the mount '\(hierarchy.path(of: mount))', "
                    + "which stands for the nodes of another bus")
        }
        if parent == Hierarchy.root {
            try Self.checkNotForeign(NodePath(joining: [hierarchy[node].links.component]))
        }
        let vacancy = try checkDestination(node, parent)
        try checkDepth(node, parent)
        let moved = hierarchy.subtree(of: node, depth: .max)
        try checkMove(moved, under: parent, by: peer)
        fixPaths(ofEventsFrom: node)
        // Nothing else may need the new parent before the node is there.
        hierarchy[parent].pin()
        if let vacancy {
            deadlines.remove(hierarchy[vacancy].endGrace())
            prune(vacancy)
        }
        environment.willMove(moved, in: hierarchy)
        hierarchy.move(node, under: parent)
        environment.didMove(moved, in: hierarchy)
        hierarchy[parent].unpin()
        for node in moved {
            updateAuthorizedVerbs(of: node)
        }
        announceMove(node, from: path)
        prune(former)
    }

    private func place(at path: NodePath) throws(WireError) -> NodeIndex {
        guard let node = hierarchy.find(path) else {
            throw WireError(.noSuchNode, "there is no node at '\(path)'")
        }
        return node
    }

    /// Returns the vacant place that has to be removed, if there is one at the new path.
    private func checkDestination(
        _ node: NodeIndex, _ parent: NodeIndex
    ) throws(WireError) -> NodeIndex? {
        guard let found = hierarchy.child(of: parent, named: hierarchy[node].links.component) else {
            return nil
        }
        let path = hierarchy.path(of: found)
        if let holder = hierarchy[found].holder {
            let who = "process \(peers[holder].credentials.processID)"
            throw WireError(.pathTaken, "the path '\(path)' is held by \(who)")
        }
        guard hierarchy[found].links.childCount == 0 else {
            throw WireError(.pathTaken, "the path '\(path)' has nodes below it")
        }
        guard hierarchy[found].pins == 0 else {
            throw WireError(.pathTaken, "the path '\(path)' is needed by what is under way")
        }
        return found
    }

    /// Throws if a descendant's path would become longer or deeper than one that could attach
    /// there.
    private func checkDepth(_ node: NodeIndex, _ parent: NodeIndex) throws(WireError) {
        let moved = hierarchy.subtree(of: node, depth: .max)
        let height =
            (moved.map { hierarchy[$0].links.depth }.max() ?? 0) - hierarchy[node].links.depth
        let depth = hierarchy[parent].links.depth + 1 + height
        let limit = configuration.limits.depth
        guard depth <= limit else {
            throw WireError(
                .tooDeep,
                "the moved place would be \(depth) components deep, more than \(limit) (limit depth)"
            )
        }
        guard Int(depth) * (NameRule.byteCountMax + 1) > Int(configuration.limits.pathBytes) else {
            return
        }
        // `moved` has each place before those below it.
        var byteCounts = [hierarchy.parent(of: node): byteCount(parent)]
        for place in moved {
            let above = byteCounts[hierarchy.parent(of: place), default: 0]
            byteCounts[place] = above + 1 + hierarchy[place].links.component.utf8.count
        }
        try configuration.limits.checkPath(byteCount: byteCounts.values.max() ?? 0)
    }

    /// Returns the bytes of a path; 0 for the root, which adds nothing to its descendants' paths.
    private func byteCount(_ node: NodeIndex) -> Int {
        node == Hierarchy.root ? 0 : hierarchy.path(of: node).byteCount
    }

    /// Sends each peer the new paths of its own nodes, and introduces the nodes again to all other
    /// peers.
    private mutating func announceMove(_ node: NodeIndex, from path: NodePath) {
        let moved = hierarchy.subtree(of: node, depth: .max)
        for place in moved {
            peers.forgetNode(place)
            if let holder = hierarchy[place].holder {
                send(Moved(node: place.number, path: hierarchy.path(of: place)), to: holder)
            }
        }
        settleEnvironment()
        log(.moved(path, to: hierarchy.path(of: node)))
        retryParked(moved)
        sendRetained(to: moved)
    }
}
