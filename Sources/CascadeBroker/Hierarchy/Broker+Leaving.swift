// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// How nodes go: by their own wish, by an administrator's, with their parent, with their session.
extension Broker {
    // MARK: - Leaving

    mutating func leave(_ leave: Leave, by peer: PeerID) throws(WireError) {
        let nodes =
            leave.node == Header.noNode
            ? peers[peer].nodes : [try hierarchy.node(leave.node, of: peer)]
        try peers[peer].addLeave(
            leave.request, of: leave.node == Header.noNode ? NodeIndex.none : nodes[0])
        // Nodes that are leaving already wait for their own answers, not for one more request.
        let staying = nodes.filter { !hierarchy[$0].isLeaving }
        if !staying.isEmpty {
            beginLeaving(staying)
        }
        reportLeft(peer)
    }

    /// Stops new work for the nodes. Each leaves once it has answered its present work.
    private mutating func beginLeaving(_ nodes: [NodeIndex]) {
        for node in nodes {
            hierarchy[node].beginLeaving()
            hierarchy.recordTreeChange(of: node)
        }
        hierarchy.advanceVersion()
        for node in nodes {
            passOnWaiting(node)
        }
        for node in nodes {
            finishLeaving(node)
        }
        // From the leaves up, so that no place stays for descendants that leave too.
        for node in nodes.reversed() {
            endLeftPlace(node)
        }
    }

    /// Ends a place that was kept for its descendants after its node left, if they all leave
    /// together.
    private mutating func endLeftPlace(_ node: NodeIndex) {
        guard hierarchy.contains(node), hierarchy[node].holder == nil,
            hierarchy[node].links.childCount == 0, hierarchy[node].isInGrace
        else {
            return
        }
        deadlines.remove(hierarchy[node].endGrace())
        forgetSafety(node)
        prune(node)
    }

    /// Completes the leave of a node that has answered everything. A node whose holder has gone is
    /// treated as lost.
    mutating func finishLeaving(_ node: NodeIndex) {
        guard hierarchy.contains(node), hierarchy[node].isLeaving,
            let holder = hierarchy[node].holder,
            peers.isGreeted(holder), hierarchy[node].laterStops == 0,
            traffic.deliveries.firstOutstanding(at: node, where: { $0.state != .expired }) == nil
        else {
            return
        }
        let path = hierarchy.path(of: node)
        let presented = presentedChildren(of: node)
        let isDrained = hierarchy[node].isDraining
        let leftOver =
            isDrained
            ? detach(node, of: holder, .drained, "an administrator has drained the node")
            : detach(node, of: holder, .left, "the node has left")
        settleEnvironment()
        for expired in leftOver where traffic.deliveries.contains(expired) {
            lost(expired)
        }
        log(isDrained ? .detached(path, .drained) : .left(path))
        hierarchy.advanceVersion()
        expel(presented, .parentGone, Self.presenterGone(path))
        keepOrPrune(node)
        reportLeft(holder)
        reportDrained()
    }

    /// Answers the leave requests of a peer whose nodes have left.
    mutating func reportLeft(_ peer: PeerID) {
        guard !peers[peer].pendingLeaves.isEmpty else {
            return
        }
        let hasNone = peers[peer].nodes.isEmpty
        let requests = peers[peer].takeLeaves { node in
            node == NodeIndex.none
                ? hasNone : !hierarchy.contains(node) || hierarchy[node].holder != peer
        }
        for request in requests {
            done(request, peer)
        }
    }

    /// Detaches a node from its holder and sends it the reason. Returns its unanswered deliveries,
    /// in order.
    mutating func detach(
        _ node: NodeIndex, of holder: PeerID, _ reason: ErrorCode, _ sentence: String
    ) -> [DeliveryIndex] {
        // A peer that is being dismissed receives no further messages.
        if peers.isGreeted(holder) {
            send(
                Detached(
                    node: node.number, path: hierarchy.path(of: node), reason: reason,
                    sentence: sentence),
                to: holder)
        }
        peers[holder].lose(node)
        return vacate(node)
    }

    // MARK: - Draining and detaching

    /// Lets nodes finish their accepted work; `done` follows when all have left.
    mutating func drain(
        _ path: NodePath, withSubtree: Bool, _ request: UInt64, by peer: PeerID
    ) throws(WireError) {
        let nodes = try heldNodes(at: path, withSubtree: withSubtree)
        hierarchy.beginDrain(nodes, for: peer, request)
        for node in nodes where !hierarchy[node].isLeaving {
            hierarchy[node].beginDraining()
        }
        beginLeaving(nodes)
    }

    mutating func detach(_ path: NodePath, withSubtree: Bool) throws(WireError) {
        let nodes = try heldNodes(at: path, withSubtree: withSubtree)
        expel(nodes, .detached, "an administrator has detached the node")
    }

    /// Returns the nodes to which an administrator's change applies. A vacant path stands for its descendants
    /// only if the change is for the whole subtree, and the root never does. A session that connects another
    /// bus may hold the root, which alone can be detached or drained.
    private func heldNodes(
        at path: NodePath, withSubtree: Bool
    ) throws(WireError) -> [NodeIndex] {
        guard !path.isRoot || !withSubtree && hierarchy[Hierarchy.root].holder != nil else {
            let place = withSubtree ? "the whole tree" : "the root / is the bus itself and"
            throw WireError(.rootReserved, "\(place) cannot be detached or drained")
        }
        guard let node = hierarchy.find(path) else {
            throw WireError(.noSuchNode, "there is no node at '\(path)'")
        }
        let nodes = hierarchy.subtree(of: node, depth: withSubtree ? .max : 0)
            .filter { hierarchy[$0].holder != nil }
        guard !nodes.isEmpty else {
            let place = withSubtree ? "at or below" : "at"
            throw WireError(.noSuchNode, "there is no node \(place) '\(path)'")
        }
        return nodes
    }

    /// Reports every drain whose nodes have all left.
    mutating func reportDrained() {
        for drain in hierarchy.takeDoneDrains() where peers.isGreeted(drain.peer) {
            done(drain.request, drain.peer)
        }
    }

    /// Detaches nodes and the nodes that they present at once. Their accepted work is lost; work
    /// that they had not accepted continues elsewhere.
    mutating func expel(_ nodes: [NodeIndex], _ reason: ErrorCode, _ sentence: String) {
        var pending = nodes.map { (node: $0, reason: reason, sentence: sentence) }
        var leftOver: [DeliveryIndex] = []
        var vacated: [NodeIndex] = []
        var holders: [PeerID] = []
        var next = 0
        while next < pending.count {
            let (node, reason, sentence) = pending[next]
            next += 1
            guard hierarchy.contains(node), let holder = hierarchy[node].holder else {
                continue
            }
            let path = hierarchy.path(of: node)
            pending += presentedChildren(of: node).map { child in
                (child, .parentGone, Self.presenterGone(path))
            }
            leftOver += detach(node, of: holder, reason, sentence)
            log(.detached(path, reason))
            vacated.append(node)
            holders.append(holder)
        }
        hierarchy.advanceVersion()
        settleEnvironment()
        for delivery in leftOver where traffic.deliveries.contains(delivery) {
            lost(delivery)
        }
        // From the leaves up, so that no path stays for descendants that are removed too.
        for node in vacated.reversed() {
            keepOrPrune(node)
        }
        for holder in holders {
            reportLeft(holder)
        }
        reportDrained()
    }

    /// Returns the nodes that stop with their parent. A node that is already leaving may finish. The nodes
    /// that the root presents stay when its holder leaves, because the root itself stays.
    private func presentedChildren(of node: NodeIndex) -> [NodeIndex] {
        guard hierarchy[node].links.childCount > 0, node != Hierarchy.root else {
            return []
        }
        return hierarchy.children(of: node)
            .filter { hierarchy[$0].isPresented && hierarchy[$0].isAvailable }
    }

    private static func presenterGone(_ path: NodePath) -> String {
        "'\(path)', which presented the node, has gone"
    }

    // MARK: - Loss

    /// Makes all nodes of an ended session vacant in one step, then settles their work.
    mutating func lose(_ nodes: [NodeIndex], of peer: PeerID) {
        guard !nodes.isEmpty else {
            return
        }
        var leftOver: [DeliveryIndex] = []
        for node in nodes {
            let path = hierarchy.path(of: node)
            leftOver += vacate(node)
            beginGrace(node)
            observers.counters.count(.nodesLost)
            log(.lost(path, processID: peers[peer].credentials.processID))
        }
        hierarchy.advanceVersion()
        settleEnvironment()
        countCrashes(during: leftOver, of: peer)
        for delivery in leftOver where traffic.deliveries.contains(delivery) {
            lost(delivery)
        }
        reportDrained()
        for node in nodes {
            raise(
                .nodeLost, at: node, "the process ended, or its connection broke",
                of: peers[peer].credentials.processID, chargedTo: peers[peer].account)
        }
        // Descendants of an inactive node become active when that node has gone.
        sendRetained(below: nodes)
    }

    /// Returns the deliveries of the node, in the order in which they came.
    private mutating func vacate(_ node: NodeIndex) -> [DeliveryIndex] {
        let leftOver = traffic.deliveries.takeAll(at: node)
        leaveStandIns(of: node)
        for name in hierarchy[node].subscriptions {
            traffic.publications.subscribers.remove(node, name)
        }
        forgetServed(node, hierarchy[node].subscriptions)
        withdrawEnvironment(of: node)
        dischargeDeclared(at: node)
        if let holder = hierarchy[node].holder {
            forgetForeignPlaces(of: holder)
            accounts.loseNode(peers[holder].account)
        }
        hierarchy.vacate(node, at: now)
        return leftOver
    }

    // MARK: - Grace

    mutating func beginGrace(_ node: NodeIndex) {
        guard node != Hierarchy.root else {
            return
        }
        deadlines.remove(hierarchy[node].endGrace())
        hierarchy[node].beginGrace(
            until: deadlines.insert(
                now.advanced(byMilliseconds: configuration.graceMilliseconds), .node(node)))
    }

    /// Keeps a path that was given up for the grace time if it has descendants; otherwise removes
    /// it.
    private mutating func keepOrPrune(_ node: NodeIndex) {
        guard hierarchy.contains(node), hierarchy[node].holder == nil else {
            return
        }
        if hierarchy[node].links.childCount > 0 {
            beginGrace(node)
            sendRetained(below: [node])
        } else {
            forgetSafety(node)
        }
        prune(node)
    }

    /// Ends the grace time of a path. Its descendants stop if its last holder requested that, and
    /// presented ones always do; otherwise the path stays vacant for them.
    mutating func graceEnded(_ node: NodeIndex) {
        hierarchy[node].endGrace()
        hierarchy.forgetFormerHolder(of: node)
        turn.account = hierarchy[node].account
        if forgetSafety(node) {
            hierarchy.advanceVersion()
            hierarchy.recordTreeChange(of: node)
        }
        let path = hierarchy.path(of: node)
        // The place must survive its last descendant until the end has been reported.
        hierarchy[node].pin()
        if hierarchy[node].detachesOrphans {
            let orphans = hierarchy.subtree(of: node, depth: .max)
                .filter { hierarchy[$0].isAvailable }
            expel(orphans, .parentGone, "'\(path)', above the node, has not come back in time")
        } else {
            expel(presentedChildren(of: node), .parentGone, Self.presenterGone(path))
        }
        hierarchy[node].unpin()
        if hierarchy[node].isDispensable {
            log(.gone(path))
        } else {
            chargeToChildren(node)
        }
        prune(node)
    }
}
