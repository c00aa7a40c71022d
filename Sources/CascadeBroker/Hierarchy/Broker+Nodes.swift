// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadePolicy
import CascadeWire

/// Nodes: how they come into the tree, change and leave it.
extension Broker {
    // MARK: - Attaching

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
        define(declaredNames, for: peer)
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

    /// Throws if the peer may not attach one of the nodes.
    private func check(
        _ attach: Attach, _ survey: Hierarchy.Survey, by peer: PeerID
    ) throws(WireError) {
        let limits = configuration.limits
        var paths: Set<NodePath> = []
        for (declaration, place) in zip(attach.nodes, survey.places) {
            if declaration.path.isRoot {
                try checkRoot(declaration, peer)
            }
            try Self.checkNotForeign(declaration.path)
            guard paths.insert(declaration.path).inserted else {
                throw WireError(
                    .pathTaken, "the path '\(declaration.path)' is declared twice in one attach")
            }
            guard declaration.path.depth <= limits.depth else {
                throw WireError(
                    .tooDeep,
                    "the path is \(declaration.path.depth) components deep, more than "
                        + "\(limits.depth) (limit depth)")
            }
            try check(declaration)
            try checkPolicy(declaration, peer)
            try checkHolder(declaration, at: place, peer)
            try checkMounts(declaration, at: place, peer)
            try Self.checkStandIns(declaration)
            try checkInspection(declaration, isRoot: declaration.path.isRoot)
        }
        try checkMounts(among: attach.nodes)
        try checkSites(
            zip(attach.nodes, survey.places).count { declaration, place in
                declaration.isMount && !(place.map { hierarchy[$0].isMount } ?? false)
            })
        let count = countOfPlaces(survey, for: peers[peer].account)
        try share(of: peers[peer].account, in: .nodes).check(count)
        try checkBytes(
            attach.nodes.reduce(NodeRecord.placeByteCount * count) {
                $0 + $1.path.byteCount + $1.responderByteCount + $1.declaredNameByteCount
            }, of: peer)
    }

    /// Throws for the path of a place of another bus.
    static func checkNotForeign(_ path: NodePath) throws(WireError) {
        guard !path.isForeign else {
            throw WireError(
                .badPath,
                "'\(path)' is a place of another bus, because its first component ends in ':'")
        }
    }

    private func check(_ declaration: NodeDeclaration) throws(WireError) {
        let limits = configuration.limits
        try check(
            declaration.responders.count, "responders of one node", limits.respondersPerNode,
            named: "respondersPerNode")
        try check(
            declaration.subscriptions.count + declaration.standIns.count,
            "subscriptions of one node",
            limits.subscriptionsPerNode, named: "subscriptionsPerNode")
        for (list, what) in [(declaration.triggers, "triggers"), (declaration.reports, "reports")] {
            try check(
                list?.count ?? 0, "declared \(what) of one node", limits.respondersPerNode,
                named: "respondersPerNode")
        }
        for text in declaration.responders.compactMap(\.when) {
            do {
                _ = try Predicate(text)
            } catch {
                let shown = text.escapedForDisplay()
                throw WireError(
                    .badPredicate, "the predicate '\(shown)' cannot be read: \(error)")
            }
        }
    }

    func check(
        _ count: Int, _ what: String, _ limit: UInt32, named name: String
    ) throws(WireError) {
        try Limits.check(count, what, limit, named: name)
    }

    private func checkHolder(
        _ declaration: NodeDeclaration, at place: NodeIndex?, _ peer: PeerID
    ) throws(WireError) {
        guard let node = place, let holder = hierarchy[node].holder,
            holder == peer || !declaration.takesOver
        else {
            return
        }
        let who = holder == peer ? "this session" : "process \(peers[holder].credentials.processID)"
        throw WireError(.pathTaken, "the path '\(declaration.path)' is held by \(who)")
    }

    // MARK: - Mounts

    /// Throws if the node would be below a mount, or is declared as a mount without the right to it or
    /// above other nodes.
    private func checkMounts(
        _ declaration: NodeDeclaration, at place: NodeIndex?, _ peer: PeerID
    ) throws(WireError) {
        if let mount = hierarchy.mount(above: declaration.path) {
            throw Self.belowMount(declaration.path, hierarchy.path(of: mount))
        }
        guard declaration.isMount else {
            return
        }
        try check(.uplink, declaration.path, by: peer)
        if let place {
            try checkNothingBelow(place, declaration.path)
        }
    }

    /// Throws if there would be more mounts than there may be.
    private func checkSites(_ added: Int) throws(WireError) {
        guard added > 0 else {
            return
        }
        try check(
            hierarchy.mountCount + added, "mounts", configuration.limits.sites, named: "sites")
    }

    /// Throws if a node responds to the inspection of other buses that connects none.
    private func checkInspection(
        _ declaration: NodeDeclaration, isRoot: Bool
    ) throws(WireError) {
        guard !isRoot, !declaration.isMount else {
            return
        }
        for responder in declaration.responders
        where responder.kind == .respond && responder.name == .inspection {
            throw WireError(
                .denied, "only the root and mounts respond to '\(EventName.inspection)'")
        }
    }

    /// Throws if there is a place below one that is to be a mount.
    private func checkNothingBelow(_ place: NodeIndex, _ path: NodePath) throws(WireError) {
        let child = hierarchy.firstChild(of: place)
        guard child == NodeIndex.none else {
            throw WireError(
                .pathTaken,
                "'\(path)' cannot be a mount, because '\(hierarchy.path(of: child))' is below it")
        }
    }

    /// Throws if one of the nodes is declared below another one that is a mount.
    private func checkMounts(among nodes: [NodeDeclaration]) throws(WireError) {
        for mount in nodes where mount.isMount {
            for node in nodes where node.path != mount.path && mount.path.contains(node.path) {
                throw Self.belowMount(node.path, mount.path)
            }
        }
    }

    static func belowMount(_ path: NodePath, _ mount: NodePath) -> WireError {
        WireError(
            .pathTaken,
            "'\(path)' is below the mount '\(mount)', which stands for the nodes of another bus")
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
        hierarchy.noteChange(of: node, wasActive: wasActive)
        log(.attached(declaration.path, processID: peers[peer].credentials.processID))
    }

    /// - Parameter activation: what a session that resumes knows of the node; `nil` for any other.
    private mutating func declare(
        _ declaration: NodeDeclaration, at node: NodeIndex, _ activation: Activation?
    ) {
        let before = hierarchy[node].subscriptions
        for name in before {
            traffic.publications.subscribers.remove(node, name)
        }
        var subscriptions: [NameIndex] = []
        let formerStandIns = traffic.publications.subscribers.standIns.take(before, of: node)
        for subscription in declaration.subscriptions + declaration.standIns.map(\.name) {
            // All names of a declaration have numbers before it is taken.
            let name = names.existingNumber(of: subscription) ?? NameIndex.none
            if name != NameIndex.none, !subscriptions.contains(name) {
                subscriptions.append(name)
                traffic.publications.subscribers.insert(node, name)
            }
        }
        accounts.declare(at: node, responderByteCount: declaration.responderByteCount)
        if let holder = hierarchy[node].holder {
            countDeclarations(declaration.declarationCount, at: node, of: holder)
        }
        forgetServed(node, before.filter { !subscriptions.contains($0) })
        if hierarchy[node].isPresented != declaration.isPresented {
            environment.invalidate(node)
        }
        let (responders, predicates) = compiled(declaration.responders)
        hierarchy[node].declare(
            declaration, responders: responders, predicates: predicates,
            subscriptions: subscriptions)
        hierarchy.setMount(node, declaration.isMount)
        declareSafety(declaration, at: node)
        declareStandIns(
            declaration.standIns, at: node, before: formerStandIns, activation)
    }

    /// Responders with numbers for their names, and their predicates, which have been checked before.
    private func compiled(
        _ declarations: [ResponderDeclaration]
    ) -> (responders: [Responder], predicates: [Predicate]) {
        var predicates: [Predicate] = []
        let responders = declarations.map { responder in
            var place = Responder.always
            if let predicate = responder.when.flatMap({ try? Predicate($0) }) {
                place = UInt16(predicates.count)
                predicates.append(predicate)
            }
            return Responder(
                kind: responder.kind,
                name: responder.name.flatMap { names.existingNumber(of: $0) } ?? NameIndex.none,
                predicate: place)
        }
        return (responders, predicates)
    }

    private mutating func define(_ declaredNames: [EventName], for peer: PeerID) {
        var definitions: [Define.Definition] = []
        for name in declaredNames {
            if let number = names.existingNumber(of: name),
                peers[peer].learn(number)
            {
                names.markDefined(number)
                definitions.append(.name(number: number.number, name))
            }
        }
        if !definitions.isEmpty {
            send(Define(definitions), to: peer)
        }
    }

    // MARK: - Changing

    mutating func change(_ change: Change, by peer: PeerID) throws(WireError) {
        let node = try hierarchy.node(change.node, of: peer)
        let path = hierarchy.path(of: node)
        if node == Hierarchy.root {
            try checkRoot(change.declaration, peer)
        }
        if change.declaration.isMount {
            try check(.uplink, path, by: peer)
            try checkNothingBelow(node, path)
            try checkSites(hierarchy[node].isMount ? 0 : 1)
        }
        try Self.checkStandIns(change.declaration)
        try checkInspection(change.declaration, isRoot: node == Hierarchy.root)
        try check(change.declaration)
        if !change.declaration.subscriptions.isEmpty || !change.declaration.standIns.isEmpty {
            try check(.subscribe, path, by: peer)
        }
        let declared =
            accounts.declared(at: node).responderByteCount
            + Assignments.elementByteCount * (safety[node]?.names.count ?? 0)
        let declaration = change.declaration
        try checkDeclarations(
            declaration.declarationCount - accounts.declared(at: node).declarationCount, of: peer)
        try checkBytes(
            declaration.responderByteCount + declaration.declaredNameByteCount - declared,
            of: peer)
        let attach = Attach(request: change.request, nodes: [change.declaration])
        let declaredNames = attach.allNames
        try checkNames(declaredNames, for: peers[peer].account)
        beginKeys(for: peers[peer].account, [change.declaration.assignments])
        let assignments = try prepare(change.declaration.assignments, of: path, by: peer)
        try check([(path, node, assignments)], by: peer)
        declareNames(declaredNames, by: peer)
        let subscribed = Set(hierarchy[node].subscriptions)
        let standsIn = !change.declaration.standIns.isEmpty
        let wasActive = hierarchy[node].isActive
        let wasActiveItself = hierarchy.isActiveItself(node)
        let responders = hierarchy[node].responders
        declare(change.declaration, at: node, nil)
        assign(assignments, at: node, isWhole: true)
        settleEnvironment()
        let own =
            standsIn
            ? hierarchy[node].subscriptions.filter {
                !traffic.publications.subscribers.standIns.contains($0, of: node)
            } : hierarchy[node].subscriptions
        let isNewSubscriber = !subscribed.isSuperset(of: own)
        if isNewSubscriber || (hierarchy[node].isActive && !wasActive) {
            makeMostRecent(node)
            sendActivation(of: node)
        } else if hierarchy[node].isActive != wasActive {
            sendActivation(of: node)
        }
        if node == Hierarchy.root || hierarchy[node].responders != responders {
            hierarchy.recordChange(of: node)
        }
        hierarchy.advanceVersion()
        hierarchy.noteChange(of: node, wasActive: wasActiveItself)
        reportDeclaration(of: node)
        define(declaredNames, for: peer)
        done(change.request, peer)
        if change.abandons {
            abandonAccepted(at: node)
            // A node that was leaving leaves once it has nothing to do.
            guard hierarchy.contains(node) else {
                return
            }
        }
        pump(node)
        // What the root responds to may have come above without a change of its declaration.
        let mayRespond =
            hierarchy[node].responders != responders || !hierarchy[node].predicates.isEmpty
            || node == Hierarchy.root
        retryParked(mayRespond ? [node] : [])
        sendRetained(to: [node])
        sendOutcomes(to: [node])
        if hierarchy[node].isActive != wasActive {
            reportActivity(of: node)
            sendRetained(below: [node])
        }
    }
}

extension Attach {
    /// Every name that the nodes declare, and those asked for.
    fileprivate var allNames: [EventName] {
        nodes.flatMap(\.allNames) + names
    }
}

extension NodeDeclaration {
    fileprivate var allNames: [EventName] {
        var names = responders.compactMap(\.name)
        names += subscriptions
        names += standIns.map(\.name)
        names += triggers ?? []
        names += reports ?? []
        return names
    }
}
