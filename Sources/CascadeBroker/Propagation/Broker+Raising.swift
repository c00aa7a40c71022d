// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// Raising: the checks that all triggers and publications pass.
extension Broker {
    /// Takes the number and the credit of a trigger or publication, and reads its fields, if it has
    /// any that concern the broker.
    ///
    /// - Returns: `false` if nothing new is to be raised: the message was sent again and is known.
    @inline(__always)
    mutating func takeRaised(
        _ header: Header, by peer: PeerID, _ payload: Payload, _ words: inout MessageFields?
    ) throws(WireError) -> Bool {
        guard try takeCredit(header, of: peer) else {
            return false
        }
        if header.fieldsLength > 0 {
            words = try MessageFields(header, payload)
        }
        return true
    }

    /// Checks a trigger or publication whose number and credit have been taken: its size, its name,
    /// its origin and what policy allows. Throws if it is invalid.
    @inline(__always)
    mutating func checkRaised(
        _ header: Header, _ verb: PolicyVerb, _ words: MessageFields?, by peer: PeerID,
        _ payload: Payload
    ) throws(WireError) -> CheckedMessage {
        let account = peers[peer].account
        try accounts.checkBytes(
            payload.count + Payload.recordByteCount, of: account,
            beside: environment.byteCount(of: account),
            limit: configuration.limits.bytesPerUser)
        // Most messages consist of their headers, and have a name with a number.
        guard words == nil, let name = names.unreserved(header.name) else {
            return try checkWorded(header, verb, words, by: peer, payload)
        }
        return try checkRaised(header, verb, named: name, nil, by: peer)
    }

    private mutating func checkWorded(
        _ header: Header, _ verb: PolicyVerb, _ words: MessageFields?, by peer: PeerID,
        _ payload: Payload
    ) throws(WireError) -> CheckedMessage {
        if let words, let raisedAs = words.raised.raisedAs {
            return try checkForeign(header, verb, words, raisedAs, by: peer, payload)
        }
        let name = try names.raised(header.name, words) { $0 == .inspection && header.isRequest }
        let verb = isInspection(name, words) ? .inspect : verb
        return try checkRaised(header, verb, named: name, words, by: peer)
    }

    @inline(__always)
    private mutating func checkRaised(
        _ header: Header, _ verb: PolicyVerb, named name: NameIndex, _ words: MessageFields?,
        by peer: PeerID
    ) throws(WireError) -> CheckedMessage {
        let place =
            header.node == Header.noNode
            ? try placeOfOutsider(header, words, peer) : try hierarchy.node(header.node, of: peer)
        return CheckedMessage(
            name: name,
            origin: Origin(
                node: place, peer: peer, session: peers[peer].session, sequence: header.sequence,
                ticket: header.sequence, account: peers[peer].account),
            isInspection: verb == .inspect, isAllowed: mayRaise(verb, header, from: place, by: peer)
        )
    }

    /// Where a message is raised: at its origin, or at the node that raises it for another bus.
    @inline(__always)
    func place(
        _ header: Header, _ origin: Origin, _ words: MessageFields?, of peer: PeerID
    ) -> NodeIndex {
        guard let words, words.raised.raisedAs != nil else {
            return origin.node
        }
        return hierarchy.node(header.node, heldBy: peer) ?? origin.node
    }

    /// Whether a message is the request that inspects other buses.
    func isInspection(_ name: NameIndex, _ words: MessageFields?) -> Bool {
        (names.name(name) ?? words?.text) == .inspection
    }

    /// The place from which a message without a node of its session comes: the path in its fields.
    private mutating func placeOfOutsider(
        _ header: Header, _ words: MessageFields?, _ peer: PeerID
    ) throws(WireError) -> NodeIndex {
        let path = words?.raised.origin ?? .root
        // A caller that is not authorized at the place must not learn whether it is held.
        if hierarchy.find(path) == nil {
            try check(header.command == .publish ? .publish : .trigger, path, by: peer)
        }
        guard let place = hierarchy.find(path) ?? placeOfExpected(path, by: peer) else {
            throw WireError(.noSuchNode, "there is no node at '\(path)'")
        }
        return place
    }

    /// Returns the place of a path without a holder whose session may still be reconnecting after a
    /// restart of the daemon.
    private mutating func placeOfExpected(_ path: NodePath, by peer: PeerID) -> NodeIndex? {
        let limits = configuration.limits
        guard traffic.events.parking.isAwaitingReattach, path.depth <= limits.depth,
            path.byteCount <= limits.pathBytes, hierarchy.mount(above: path) == nil,
            !path.isForeign
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

/// A trigger or publication that may be raised, or is rejected.
struct CheckedMessage {
    let name: NameIndex
    let origin: Origin
    /// Whether it is a request that inspects other buses.
    let isInspection: Bool
    /// Whether policy allows it.
    let isAllowed: Bool
}

extension MessageFields {
    /// The fields of a message, if the broker reads them.
    fileprivate convenience init?(_ header: Header, _ payload: Payload) throws(WireError) {
        guard header.isReadByBroker else {
            return nil
        }
        self.init(try RaisedFields(fields: payload.fieldReader))
    }
}

extension Message {
    /// The message of this header.
    ///
    /// - Parameter standard: how many milliseconds it may take if the header names none.
    @inline(__always)
    init(
        _ header: Header, _ checked: CheckedMessage, _ words: MessageFields?, _ payload: Payload,
        at now: Instant, standard: UInt32
    ) {
        let milliseconds = header.time == 0 ? standard : header.time
        self.init(
            origin: checked.origin, name: checked.name, words: words, flags: header.flags,
            payload: payload, deadline: now.advanced(byMilliseconds: milliseconds),
            milliseconds: milliseconds, causes: UInt16(truncatingIfNeeded: header.code >> 8),
            holdMilliseconds: words?.raised.holdMilliseconds, isInspection: checked.isInspection)
    }
}
