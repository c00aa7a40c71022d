// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// The policy checks that precede every action: subject, verb and place.
///
/// A session's right to raise messages is decided once for each of its nodes, when the node gets
/// its place and when the policy changes. An event costs the test of a flag.
extension Broker {
    // MARK: - Deciding

    func mayAct(_ verb: PolicyVerb, _ path: NodePath, _ peer: PeerID) -> Bool {
        peers[peer].authorization.allows(verb, path)
    }

    /// Throws if the session may not do this there; the sentence names the rule.
    func check(_ verb: PolicyVerb, _ path: NodePath, by peer: PeerID) throws(WireError) {
        guard mayAct(verb, path, peer) else {
            throw WireError(.denied, denial(verb, path, peer))
        }
    }

    /// The refusal of an act: the session, the verb, the path and the reason.
    func denial(_ verb: PolicyVerb, _ path: NodePath, _ peer: PeerID) -> String {
        let reason = peers[peer].authorization.decide(verb, path).reason
        return "\(name(of: peer)) may not \(verb.phrase) '\(path)': \(reason)"
    }

    /// A session as a sentence names it.
    func name(of peer: PeerID) -> String {
        let credentials = peers[peer].credentials
        return "process \(credentials.processID) (\(credentials.identity))"
    }

    /// The same as ``mayAct(_:_:_:)``, with a cache, for actions that a peer may request as often
    /// as it likes.
    private mutating func mayActAgain(
        _ verb: PolicyVerb, _ path: NodePath, _ peer: PeerID
    ) -> Bool {
        guard !peers[peer].authorization.everywhere.contains(verb) else {
            return true
        }
        let check = PolicyCheck(verb: verb, path: path)
        if let known = peers[peer].decisions[check] {
            return known
        }
        let isAllowed = mayAct(verb, path, peer)
        peers[peer].remember(isAllowed, for: check)
        return isAllowed
    }

    // MARK: - Attaching

    /// Throws if the session may not have a node declared so.
    func checkPolicy(
        _ declaration: NodeDeclaration, _ peer: PeerID
    ) throws(WireError) {
        try check(.attach, declaration.path, by: peer)
        if !declaration.subscriptions.isEmpty || !declaration.standIns.isEmpty {
            try check(.subscribe, declaration.path, by: peer)
        }
        try checkOwner(of: declaration, peer)
    }

    /// Throws unless the session may hold the root, and declares nothing there but responders and
    /// values: the root is the bus's own, also while a node that connects a bus above holds it.
    func checkRoot(_ declaration: NodeDeclaration, _ peer: PeerID) throws(WireError) {
        guard mayAct(.uplink, .root, peer) else {
            throw WireError(.rootReserved, "the root / is the bus itself; attach below it")
        }
        guard declaration.subscriptions.isEmpty, declaration.standIns.isEmpty, declaration.isActive,
            !declaration.isPresented,
            !declaration.detachesOrphans, !declaration.wantsOutcomes, !declaration.isMount,
            declaration.triggers == nil, declaration.reports == nil, declaration.safety == nil,
            declaration.requiresExplicitResponders == nil
        else {
            throw Self.onlyRespondersAndValues
        }
        try checkRoot(declaration.assignments)
    }

    func checkRoot(_ assignments: Assignments) throws(WireError) {
        guard assignments.watchedKeys.isEmpty, assignments.watchedPreferences.isEmpty,
            assignments.offers.isEmpty, assignments.rules.isEmpty
        else {
            throw Self.onlyRespondersAndValues
        }
    }

    private static var onlyRespondersAndValues: WireError {
        WireError(
            .rootReserved, "the root / is the bus itself; it takes responders and values only")
    }

    /// Checks that a place returns to its former owner or to an administrator. Also used for a
    /// takeover.
    private func checkOwner(
        of declaration: NodeDeclaration, _ peer: PeerID
    ) throws(WireError) {
        guard let node = hierarchy.find(declaration.path), let owner = owner(of: node),
            owner != peers[peer].credentials.owner,
            hierarchy[node].holder == nil || declaration.takesOver,
            !mayAct(.administer, declaration.path, peer)
        else {
            return
        }
        let state = hierarchy[node].holder == nil ? "is kept for" : "is held by"
        throw WireError(
            .denied,
            "\(name(of: peer)) may not attach at '\(declaration.path)', which \(state) \(owner)")
    }

    /// Returns the owner, current or last, of the place; `nil` if it was never held, or is the root,
    /// which is the bus's own when its holder has gone.
    func owner(of node: NodeIndex) -> Owner? {
        let account = hierarchy[node].account
        let isBus = node == Hierarchy.root && hierarchy[node].holder == nil
        return account == AccountTable.own || isBus ? nil : accounts[account].owner
    }

    /// The node has come to its place, or the policy has changed.
    mutating func updateAuthorizedVerbs(of node: NodeIndex) {
        guard let holder = hierarchy[node].holder else {
            return
        }
        let authorization = peers[holder].authorization
        let verbs: PolicyVerbs =
            authorization.everywhere == .all
            ? .all : authorization.verbs(at: hierarchy.path(of: node))
        // Nothing is above the root.
        hierarchy[node].authorize(
            node == Hierarchy.root ? verbs.subtracting(PolicyVerbs(.trigger)) : verbs)
    }

    // MARK: - Raising

    /// Whether the session may raise this from there.
    @inline(__always)
    mutating func mayRaise(
        _ verb: PolicyVerb, _ header: Header, from node: NodeIndex, by peer: PeerID
    ) -> Bool {
        guard header.node == Header.noNode else {
            return hierarchy[node].authorizedVerbs.contains(verb)
        }
        return peers[peer].authorization.everywhere.contains(verb)
            || mayActAgain(verb, hierarchy.path(of: node), peer)
    }

    /// Rejects an event that is not shown to any node: it ends at its origin.
    mutating func reject(_ message: Message, _ lane: Lane, by peer: PeerID) {
        let failure = failure(message.verb, message.origin.node, peer)
        let event = insert(message, lane, at: message.origin.node)
        settle(event, .rejected, failure: failure)
    }

    /// Rejects a publication that is not shown to any node: it ends at its origin.
    mutating func reject(
        _ message: Message, to reach: Reach, by peer: PeerID
    ) {
        let failure = failure(.publish, message.origin.node, peer)
        let publication = insert(message, to: reach, from: message.origin.node)
        monitorPublished(publication)
        traffic.publications[publication].fail(failure)
        end(publication, .rejected)
    }

    private mutating func failure(
        _ verb: PolicyVerb, _ node: NodeIndex, _ peer: PeerID
    ) -> Failure {
        let path = hierarchy.path(of: node)
        let sentence = denial(verb, path, peer)
        observers.counters.count(.refused)
        log(
            .refused(
                processID: peers[peer].credentials.processID, .denied, sentence: sentence))
        return Failure(.denied, message: sentence, node: path)
    }

    // MARK: - Administering

    func check(_ change: Administer.Change, by peer: PeerID) throws(WireError) {
        switch change {
        case .move(let path, let destination):
            try check(.administer, path, by: peer)
            try check(.administer, destination, by: peer)
        case .drain(let path, let withSubtree), .detach(let path, let withSubtree):
            try check(.administer, path, by: peer)
            try checkBelow(path, withSubtree, by: peer)
        case .clearRetained(_, let path): try check(.administer, path, by: peer)
        case .clearUndelivered: try check(.administer, .root, by: peer)
        }
    }

    private func checkBelow(
        _ path: NodePath, _ withSubtree: Bool, by peer: PeerID
    ) throws(WireError) {
        guard withSubtree, !peers[peer].authorization.everywhere.contains(.administer),
            let node = hierarchy.find(path)
        else {
            return
        }
        for place in hierarchy.subtree(of: node, depth: .max) where hierarchy[place].holder != nil {
            let below = hierarchy.path(of: place)
            guard mayAct(.administer, below, peer) else {
                throw hidden(below, from: peer, denial(.administer, below, peer)) {
                    "\(name(of: peer)) may not \(PolicyVerb.administer.phrase) all below '\(path)'"
                }
            }
        }
    }

    /// Checks that the holder of a node is allowed to be at the node's new path.
    func checkMove(
        _ moved: [NodeIndex], under parent: NodeIndex, by peer: PeerID
    ) throws(WireError) {
        guard let top = moved.first else {
            return
        }
        let former = hierarchy.path(of: hierarchy.parent(of: top)).components.count
        let above = hierarchy.path(of: parent).components.map(String.init)
        for node in moved {
            guard let holder = hierarchy[node].holder,
                peers[holder].authorization.everywhere != .all
            else {
                continue
            }
            let kept = hierarchy.path(of: node).components.dropFirst(former).map(String.init)
            let path = NodePath(joining: above + kept)
            let verbs: [PolicyVerb] =
                [.attach] + (hierarchy[node].subscriptions.isEmpty ? [] : [.subscribe])
                + (hierarchy[node].isMount ? [.uplink] : [])
            for verb in verbs
            where !mayAct(verb, path, holder) {
                throw hidden(hierarchy.path(of: node), from: peer, denial(verb, path, holder)) {
                    "a process below '\(hierarchy.path(of: top))' may not \(verb.phrase) where "
                        + "it would be then"
                }
            }
        }
    }

    /// The denial of something at a place: with another sentence for a peer that may not inspect
    /// the place.
    private func hidden(
        _ path: NodePath, from peer: PeerID, _ sentence: String, _ otherwise: () -> String
    ) -> WireError {
        WireError(.denied, mayAct(.inspect, path, peer) ? sentence : otherwise())
    }
}

/// A verb and a path for which the policy has decided about a session. The decision is cached, so
/// that patterns are not matched again.
struct PolicyCheck: Hashable, Sendable {
    /// Decisions that are cached for one session.
    static let rememberedMax = 1024

    var verb: PolicyVerb
    var path: NodePath
}
