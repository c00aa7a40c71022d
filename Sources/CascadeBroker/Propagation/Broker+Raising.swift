// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// Raising: the one door for triggers and publications.
extension Broker {
    /// Checks a trigger or publication on arrival: its number, its credit, its size, its origin and
    /// what policy allows. Throws if it is invalid; then its number and its credit have been taken
    /// at most.
    mutating func checkRaised(
        _ header: Header, _ verb: PolicyVerb, by peer: PeerID, _ payload: Payload
    ) throws(WireError) -> Arrival {
        guard try takeCredit(header, of: peer) else {
            return .known
        }
        let words =
            header.fieldsLength > 0 && header.isReadByBroker
            ? MessageFields(try RaisedFields(fields: payload.fieldReader)) : nil
        if verb == .trigger, let retried = words?.raised.retried {
            return .retry(retried)
        }
        let account = peers[peer].account
        try accounts.checkBytes(
            payload.count + Payload.recordByteCount, of: account,
            beside: environment.byteCount(of: account),
            limit: configuration.limits.bytesPerUser)
        let name = try names.raised(header.name, words)
        let origin = try origin(header, words, of: peer)
        return .new(
            Arrival.Checked(
                origin: origin, name: name, words: words,
                isAllowed: mayRaise(verb, header, from: origin.node, by: peer)))
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

/// What a trigger or publication turns out to be on arrival.
enum Arrival {
    case new(Checked)
    /// An undelivered event is to be raised again.
    case retry(EventID)
    /// It was sent again, and its one outcome is still to come or has been sent again.
    case known

    /// A message that may be raised, or is rejected.
    struct Checked {
        let origin: Origin
        let name: NameIndex
        let words: MessageFields?
        /// Whether policy allows it.
        let isAllowed: Bool
    }
}

extension Message {
    /// The message of this header.
    ///
    /// - Parameter standard: how many milliseconds it may take if the header names none.
    init(
        _ header: Header, _ checked: Arrival.Checked, _ payload: Payload, at now: Instant,
        standard: UInt32
    ) {
        let milliseconds = header.time == 0 ? standard : header.time
        self.init(
            origin: checked.origin, name: checked.name, words: checked.words, flags: header.flags,
            payload: payload, deadline: now.advanced(byMilliseconds: milliseconds),
            milliseconds: milliseconds, causes: UInt16(truncatingIfNeeded: header.code >> 8),
            holdMilliseconds: checked.words?.raised.holdMilliseconds)
    }
}
