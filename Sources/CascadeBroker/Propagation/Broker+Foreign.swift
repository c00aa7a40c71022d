// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// Messages of other buses: a node that connects another bus raises them here under their own IDs, as of
/// their own origins.
extension Broker {
    /// Checks a trigger or publication that a node raises for another bus. Throws if it is invalid, or if
    /// the node may not speak for its origin.
    mutating func checkForeign(
        _ header: Header, _ verb: PolicyVerb, _ words: MessageFields, _ raisedAs: RaisedAs,
        by peer: PeerID, _ payload: Payload
    ) throws(WireError) -> CheckedMessage {
        guard let node = hierarchy.node(header.node, heldBy: peer), hierarchy[node].isUplink else {
            throw WireError(.denied, "only the root and mounts raise messages of other buses")
        }
        guard node != Hierarchy.root || header.command == .publish else {
            throw WireError(.rootReserved, "the root / is the bus itself; it triggers nothing")
        }
        if header.command == .trigger {
            try checkForeignTrigger(header, payload)
        }
        let path = hierarchy.path(of: node)
        let origin = words.raised.origin ?? path
        guard node == Hierarchy.root ? origin.isForeign : path.contains(origin) else {
            throw WireError(
                .notYours,
                node == Hierarchy.root
                    ? "'/' publishes for places of other buses, and not for '\(origin)'"
                    : "the mount '\(path)' raises for places below it, and not for '\(origin)'")
        }
        try checkForeign(raisedAs.id, by: peer)
        let name = try names.raised(header.name, words) { _ in true }
        let isInspection = header.isRequest && isInspection(name, words)
        let place = try origin == path ? node : foreignPlace(origin, below: node, for: peer)
        return CheckedMessage(
            name: name,
            origin: Origin(
                node: place, peer: peer, session: foreignSession(raisedAs.id.session, for: peer),
                sequence: raisedAs.id.sequence, ticket: header.sequence,
                account: peers[peer].account),
            isInspection: isInspection,
            isAllowed: mayRaise(isInspection ? .inspect : verb, header, from: node, by: peer))
    }

    private func checkForeignTrigger(_ header: Header, _ payload: Payload) throws(WireError) {
        guard !header.flags.contains(.durable) else {
            throw WireError(.notDurable, "an event of another bus is kept there, and not here")
        }
        if LaneCode(rawValue: header.code)?.lane == .error {
            _ = try Failure(fields: payload.fieldReader, named: EventName(.responderFailed))
        }
    }

    /// Throws if the event's session is one that this bus knows as another user's, or its own.
    private func checkForeign(_ id: EventID, by peer: PeerID) throws(WireError) {
        let owner = peers[peer].credentials.owner
        var owners: [Owner] = []
        if let known = peers.peer(of: id.session) {
            owners.append(peers[known].credentials.owner)
        }
        if let known = sessions.disconnected[id.session] {
            owners.append(known.owner)
        }
        var isOwn = owners.allSatisfy { $0 == owner } && id.session != SessionIdentity.daemon.id
        for isProven in [true, false] {
            let known = SessionIdentity(id.session, isProven: isProven)
            isOwn = isOwn && sessions.formerOwners[known].map { $0 == owner } ?? true
            isOwn = isOwn && traffic.durable.owner(of: known).map { $0.covers(owner) } ?? true
        }
        guard isOwn else {
            throw WireError(.notYours, "the event \(id) is of another session of this bus")
        }
    }

    // MARK: - Origins

    /// Returns the place of another bus under this path, which keeps its number while the session raises
    /// messages for it.
    private mutating func foreignPlace(
        _ path: NodePath, below node: NodeIndex, for peer: PeerID
    ) throws(WireError) -> NodeIndex {
        if let known = peers[peer].foreign.place(path), hierarchy.parent(of: known) == node {
            return known
        }
        let limits = configuration.limits
        try limits.checkPath(byteCount: path.byteCount)
        guard path.depth <= limits.depth else {
            throw WireError(
                .tooDeep,
                "the origin is \(path.depth) components deep, more than \(limits.depth) "
                    + "(limit depth)")
        }
        try checkBytes(Self.foreignByteCount(of: path), of: peer)
        let place = makeForeign(path, below: node, for: peers[peer].account)
        if peers[peer].foreign.place(path) == nil {
            hierarchy[place].pin()
            if let oldest = peers[peer].foreign.insert(place, path) {
                unpinNode(oldest)
            }
        }
        return place
    }

    /// Makes a place of another bus, which stays as long as it is pinned.
    mutating func makeForeign(
        _ path: NodePath, below parent: NodeIndex, for account: AccountIndex
    ) -> NodeIndex {
        hierarchy[parent].pin()
        accounts.chargeMessage(Self.foreignByteCount(of: path), to: account)
        return hierarchy.makeForeign(path, below: parent, at: now, account)
    }

    /// Removes a place of another bus that is no longer needed.
    mutating func removeForeign(_ node: NodeIndex) {
        let parent = hierarchy.parent(of: node)
        accounts.releaseMessage(
            Self.foreignByteCount(of: hierarchy.path(of: node)), from: hierarchy[node].payer)
        hierarchy.removeForeign(node)
        peers.forgetNode(node)
        unpinNode(parent)
    }

    private static func foreignByteCount(of path: NodePath) -> Int {
        NodeRecord.placeByteCount + path.byteCount
    }

    /// Returns the number of a session of another bus. It has proved nothing here.
    private mutating func foreignSession(_ id: SessionID, for peer: PeerID) -> SessionIndex {
        if let known = peers[peer].foreign.session(id) {
            return known
        }
        let session = sessions.insert(SessionIdentity(id, isProven: false))
        if let oldest = peers[peer].foreign.insert(session, id) {
            unpinSession(oldest)
        }
        return session
    }

    /// A node of the session is gone, perhaps the one that connected another bus: the numbers of the places
    /// there are free once no event needs them.
    mutating func forgetForeignPlaces(of peer: PeerID) {
        for place in peers[peer].foreign.takePlaces() {
            unpinNode(place)
        }
    }

    mutating func forgetForeignSessions(of peer: PeerID) {
        for session in peers[peer].foreign.takeSessions() {
            unpinSession(session)
        }
    }
}
