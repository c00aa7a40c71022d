// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// Raising: the common part of triggers and publications on arrival.
extension Broker {
    /// Checks a message whose credit has been taken, and returns its origin and its name. Throws if
    /// it is invalid; nothing has changed then.
    mutating func checkRaised(
        _ header: Header, _ words: MessageFields?, by peer: PeerID, _ payload: Payload
    ) throws(WireError) -> (origin: Origin, name: NameIndex) {
        let account = peers[peer].account
        try accounts.checkBytes(
            payload.count + Payload.recordByteCount, of: account,
            beside: environment.byteCount(of: account),
            limit: configuration.limits.bytesPerUser)
        let name = try names.raised(header.name, words)
        return (try origin(header, words, of: peer), name)
    }

    /// Makes the message that has been checked.
    @inline(__always)
    func message(
        _ header: Header, _ words: MessageFields?, from origin: Origin, _ name: NameIndex,
        _ payload: Payload
    ) -> Message {
        let milliseconds = header.time == 0 ? configuration.deadlineMilliseconds : header.time
        return Message(
            origin: origin, name: name, words: words, flags: header.flags,
            payload: payload,
            deadline: now.advanced(byMilliseconds: milliseconds), milliseconds: milliseconds,
            causes: UInt16(truncatingIfNeeded: header.code >> 8),
            holdMilliseconds: words?.raised.holdMilliseconds)
    }

    /// Pins the records to which a message refers. Its payload is charged until it is released.
    mutating func pin(_ message: Message) {
        pin(message.origin)
        charge(message.payload, to: message.origin.account)
    }

    /// Keeps the places and numbers that an origin is known by, until ``unpin(_:)``.
    private mutating func pin(_ origin: Origin) {
        hierarchy[origin.node].pin()
        sessions.pin(origin.session)
    }

    mutating func unpin(_ origin: Origin) {
        unpinNode(origin.node)
        unpinSession(origin.session)
    }

    /// Where an event or publication comes from: a node of the session, or a path that an outsider
    /// names.
    private mutating func origin(
        _ header: Header, _ words: MessageFields?, of peer: PeerID
    ) throws(WireError) -> Origin {
        let node: NodeIndex
        if header.node != Header.noNode {
            node = try hierarchy.node(header.node, of: peer)
        } else {
            let path = words?.raised.origin ?? .root
            // A caller without rights to the place must not learn whether it is held.
            if hierarchy.find(path) == nil {
                try check(header.command == .publish ? .publish : .trigger, path, by: peer)
            }
            guard let place = hierarchy.find(path) ?? placeOfExpected(path, by: peer)
            else {
                throw WireError(.noSuchNode, "there is no node at '\(path)'")
            }
            node = place
        }
        return Origin(
            node: node, peer: peer, session: peers[peer].session, sequence: header.sequence,
            ticket: header.sequence, account: peers[peer].account)
    }

    /// Returns the place of a path without a holder whose session may still be reconnecting after a
    /// restart of the daemon.
    private mutating func placeOfExpected(_ path: NodePath, by peer: PeerID) -> NodeIndex? {
        let limits = configuration.limits
        guard traffic.events.parking.isAwaitingReattach, path.depth <= limits.depth,
            path.byteCount <= limits.pathBytes
        else {
            return nil
        }
        let account = peers[peer].account
        let count = hierarchy.missingCount([path])
        guard share(of: account, in: .nodes).hasRoom(for: count),
            (try? checkBytes(NodeRecord.placeByteCount * count, of: peer)) != nil
        else {
            return nil
        }
        return findOrMake(path, for: account)
    }
}
