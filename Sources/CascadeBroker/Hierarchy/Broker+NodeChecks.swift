// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadePolicy
import CascadeWire

/// Checks of a declaration.
extension Broker {
    /// Throws if the peer may not attach one of the nodes.
    func check(
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

    func check(_ declaration: NodeDeclaration) throws(WireError) {
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
    func checkSites(_ added: Int) throws(WireError) {
        guard added > 0 else {
            return
        }
        try check(
            hierarchy.mountCount + added, "mounts", configuration.limits.sites, named: "sites")
    }

    /// Throws if a node responds to the inspection of other buses that connects none.
    func checkInspection(
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
    func checkNothingBelow(_ place: NodeIndex, _ path: NodePath) throws(WireError) {
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
}
