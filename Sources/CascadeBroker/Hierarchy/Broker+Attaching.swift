// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Attaching nodes.
extension Broker {
    mutating func attach(_ attach: Attach, by peer: PeerID) throws(WireError) {
        let survey = try survey(attach, by: peer)
        do throws(WireError) {
            try check(attach, survey, by: peer)
        } catch {
            reportDenied(error, at: survey.places, by: peer)
            throw error
        }
        let declaredNames = attach.allNames
        try checkNames(declaredNames, for: peers[peer].account)
        let prepared = try prepareAssignments(attach, at: survey.places, by: peer)
        declareNames(declaredNames, by: peer)
        var displaced: [DeliveryIndex] = []
        var takenOver: [NodeIndex] = []
        var nodes: [NodeIndex] = []
        var attached: [Attached.Node] = []
        var walk = PathWalk(from: Hierarchy.root)
        for (declaration, assignments) in zip(attach.nodes, prepared) {
            let node = findOrMake(declaration.path, for: peers[peer].account, along: &walk)
            if let holder = hierarchy[node].holder {
                displaced += displace(node, heldBy: holder)
                takenOver.append(node)
            }
            place(declaration, at: node, of: peer)
            assign(assignments, at: node, isWhole: true)
            environment.bindKept(to: [node], in: hierarchy)
            nodes.append(node)
            attached.append(
                Attached.Node(
                    path: declaration.path, number: node.number, activation: activation(of: node)))
        }
        hierarchy.advanceVersion()
        peers[peer].countDeclared(attach.names.count)
        defineNames(declaredNames, for: peer)
        send(Attached(request: attach.request, nodes: attached), to: peer)
        sendSnapshots(nodes)
        settleEnvironment()
        for delivery in displaced where traffic.deliveries.contains(delivery) {
            lost(delivery)
        }
        retryParked(nodes)
        sendRetained(to: nodes)
        sendRetained(below: takenOver)
        sendOutcomes(to: nodes)
    }

    /// Reports, as an error to the nodes above, that a peer asked for the path of another peer's
    /// node.
    private mutating func reportDenied(
        _ error: WireError, at places: [NodeIndex?], by peer: PeerID
    ) {
        let held = places.lazy.compactMap(\.self).first { place in
            hierarchy[place].holder.map { $0 != peer } ?? false
        }
        guard error.code == .pathTaken || error.code == .denied, let held else {
            return
        }
        raise(.callDenied, at: held, error.description, causedBy: peer)
    }

    /// Looks up the places of the nodes. Throws if those are too many, or if their paths have too
    /// many components.
    private func survey(
        _ attach: Attach, by peer: PeerID
    ) throws(WireError) -> Hierarchy.Survey {
        let limits = configuration.limits
        let count = peers[peer].nodes.count + attach.nodes.count
        try check(
            count, "nodes in one session", limits.nodesPerSession, named: "nodesPerSession")
        try checkDeclarations(
            attach.nodes.reduce(attach.names.count) { $0 + $1.declarationCount }, of: peer)
        let all = accounts[peers[peer].account].nodeCount + attach.nodes.count
        try check(all, "nodes of one user", limits.nodesPerUser, named: "nodesPerUser")
        let most = limits.attachStepCountMax
        guard let survey = hierarchy.survey(attach.nodes.map(\.path), stepCountMax: most) else {
            throw WireError(
                .limitReached,
                "the paths of one attach have more than \(most) components, 32 for each node that a "
                    + "session may have (limit nodesPerSession); attach fewer nodes at once")
        }
        return survey
    }

    private mutating func displace(_ node: NodeIndex, heldBy holder: PeerID) -> [DeliveryIndex] {
        let sentence = "another session took over '\(hierarchy.path(of: node))'"
        let leftOver = detach(node, of: holder, .takenOver, sentence)
        var monitorEvent = MonitorEvent(.detached, path: hierarchy.path(of: node))
        monitorEvent.reason = .takenOver
        recordMonitorEvent(monitorEvent)
        reportLeft(holder)
        reportDrained()
        return leftOver
    }

    private mutating func place(
        _ declaration: NodeDeclaration, at node: NodeIndex, of peer: PeerID
    ) {
        let wasActive = hierarchy.isActiveItself(node)
        deadlines.remove(hierarchy[node].endGrace())
        hierarchy[node].hold(by: peer, of: peers[peer].account, at: now)
        hierarchy.keepPath(declaration.path, of: node)
        accounts.declare(at: node, pathByteCount: declaration.path.byteCount)
        accounts.gainNode(peers[peer].account)
        if node != Hierarchy.root {
            chargePlace(node, to: peers[peer].account)
        }
        peers[peer].gain(node)
        updateAuthorizedVerbs(of: node)
        declare(declaration, at: node, declaration.activation)
        setActivation(of: node, declaration.activation, by: peer)
        hierarchy.recordTreeChange(of: node, wasActive: wasActive)
        log(.attached(declaration.path, processID: peers[peer].credentials.processID))
    }
}
