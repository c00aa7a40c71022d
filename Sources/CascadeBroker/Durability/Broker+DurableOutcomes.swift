// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// Outcomes of durable events: written before they are sent, and sent until a peer confirms them.
extension Broker {
    /// The event has ended. Its record is replaced by its outcome.
    mutating func conclude(_ event: EventIndex, _ ended: OutcomeMessage) {
        let key = eventKey(event)
        guard let durable = traffic.durable[key] else {
            return
        }
        if case .writing = durable.state {
            // The event was not accepted and will not be: its outcome returns its credit.
            _ = returnCredit(of: event)
        }
        let settled = Settled(
            ended: ended, id: key.id, name: currentName(of: event), origin: durable.origin,
            handler: ended.handler
                ?? hierarchy.node(ended.node).map { hierarchy.path(of: $0) })
        traffic.durable.end(key, settled, &accounts)
        if durable.isOutcomeWanted {
            writeOutcome(key)
        } else {
            forgetDurable(key, isSynced: true)
        }
    }

    mutating func writeOutcome(_ id: EventKey) {
        guard let event = traffic.durable[id], case .settling(let settled) = event.state else {
            return
        }
        if let fault = traffic.durable.fault, !fault.takesOutcomes, now < fault.retry {
            traffic.durable.postponeOutcome(id)
            scheduleJournalRetry()
            return
        }
        let body = SettledRecord(owner: event.owner, settled: settled).encoded()
        traffic.durable.charge(body.count, for: id, &accounts)
        _ = write(body, of: id.journalKey, for: .outcome(id))
    }

    /// Sends the outcome, which has been written, to its receiver if that is connected.
    mutating func settleDurable(_ id: EventKey) {
        guard makeRoomForOutcome(of: id) else {
            sendOutcomeOnce(id)
            return
        }
        traffic.durable.settle(id, &accounts)
        guard let event = traffic.durable[id] else {
            return
        }
        guard event.isOutcomeWanted else {
            forgetDurable(id)
            return
        }
        if let receiver = receiver(of: id, event) {
            sendSettled(id, to: receiver)
        }
    }

    /// Returns whether one more outcome of the event's user can be kept. The user's own oldest
    /// outcome may be dropped for it; an outcome promised to another user never is.
    private mutating func makeRoomForOutcome(of id: EventKey) -> Bool {
        guard let account = traffic.durable[id]?.account else {
            return true
        }
        forgetOutcomes(toMakeRoomFor: 0, of: account)
        let limit = configuration.limits.durableOutcomes
        while true {
            switch accounts.room(for: 1, in: .durableOutcomes, of: account, limit: limit) {
            case .free: return true
            case .none: return false
            case .evicting(let other):
                guard forgetOldestOutcome(of: other) else {
                    return false
                }
            }
        }
    }

    /// Forgets outcomes of the user, the oldest first, until so many bytes more have room in its
    /// share, or none is left.
    mutating func forgetOutcomes(toMakeRoomFor byteCount: Int, of account: AccountIndex) {
        while true {
            let share = share(of: account, in: .durableBytes)
            guard share.used + byteCount > share.size, forgetOldestOutcome(of: account) else {
                return
            }
        }
    }

    /// Returns whether there was one.
    private mutating func forgetOldestOutcome(of account: AccountIndex) -> Bool {
        guard let place = traffic.durable.settled.oldest(of: account) else {
            return false
        }
        observers.counters.count(.durableForgotten)
        forgetDurable(traffic.durable.settled[place])
        return true
    }

    /// Holds to a limit that was lowered.
    mutating func shrinkDurableOutcomes() {
        let limits = configuration.limits
        for (table, limit) in [
            (SharedTable.durableOutcomes, limits.durableOutcomes),
            (.durableBytes, limits.durableBytes),
        ] {
            while let account = accounts.largest(in: table, above: limit),
                forgetOldestOutcome(of: account)
            {}
        }
    }

    /// Sends an outcome that cannot be kept to its receiver, if connected, and forgets it.
    private mutating func sendOutcomeOnce(_ id: EventKey) {
        if let event = traffic.durable[id], event.isOutcomeWanted {
            observers.counters.count(.durableForgotten)
            if case .settling(let settled) = event.state, let receiver = receiver(of: id, event) {
                send(settled, of: id, to: receiver)
            }
        }
        forgetDurable(id)
    }

    /// Returns the receiver of the outcome: the session that raised the event, else the holder of
    /// the place where it was raised.
    private func receiver(of id: EventKey, _ event: DurableEvent) -> PeerID? {
        if let peer = peers.peer(of: id.id.session), peers.isGreeted(peer), isOwn(id, of: peer) {
            return peer
        }
        guard let node = hierarchy.find(event.origin), hierarchy[node].wantsOutcomes,
            let holder = hierarchy[node].holder,
            event.owner.covers(peers[holder].credentials.owner)
        else {
            return nil
        }
        return holder
    }

    /// Sends the outcome, if it is known. The session that raised the event knows it by its number,
    /// all others by its ID.
    mutating func sendSettled(_ id: EventKey, to peer: PeerID) {
        if case .settled(let settled)? = traffic.durable[id]?.state {
            send(settled, of: id, to: peer)
        }
    }

    private mutating func send(_ settled: Settled, of id: EventKey, to peer: PeerID) {
        var settled = settled
        if isOwn(id, of: peer) {
            settled.id = nil
        }
        send(settled, to: peer)
    }

    /// Sends the nodes that have attached the outcomes of earlier messages from their places, where
    /// they request such outcomes.
    mutating func sendOutcomes(to nodes: [NodeIndex]) {
        guard !traffic.durable.settled.isEmpty else {
            return
        }
        for node in nodes
        where hierarchy.contains(node) && hierarchy[node].wantsOutcomes {
            guard let holder = hierarchy[node].holder else {
                continue
            }
            let path = hierarchy.path(of: node)
            for id in traffic.durable.settled.elements {
                if let event = traffic.durable[id], event.origin == path,
                    receiver(of: id, event) == holder
                {
                    sendSettled(id, to: holder)
                }
            }
        }
    }

    /// Sends the outcomes that an ended session has not confirmed to the holders of the places where it
    /// raised the events, where they request such outcomes.
    mutating func passOnOutcomes(of session: SessionIdentity) {
        guard traffic.durable.owner(of: session) != nil else {
            return
        }
        for id in traffic.durable.settled.elements where id.session == session {
            if let event = traffic.durable[id], let holder = receiver(of: id, event) {
                sendSettled(id, to: holder)
            }
        }
    }

    /// Forgets an outcome that has arrived, or that no peer will request.
    mutating func outcomeReceived(_ received: Received, by peer: PeerID) {
        guard let key = key(of: received, by: peer) else {
            return
        }
        if case .settled? = traffic.durable[key]?.state {
            forgetDurable(key)
        } else {
            traffic.durable.disown(key)
        }
    }

    /// Returns the event of this user that the message names. A node that learnt an earlier
    /// session's event refers to it by its ID alone.
    private func key(of received: Received, by peer: PeerID) -> EventKey? {
        guard let id = received.id else {
            return ownKey(received.sequence, of: peer)
        }
        let owner = peers[peer].credentials.owner
        return [true, false].map { EventKey(id: id, isProven: $0) }
            .first { traffic.durable[$0]?.owner.covers(owner) ?? false }
    }

    /// The durable event that the peer's session has triggered under this number.
    func ownKey(_ sequence: UInt64, of peer: PeerID) -> EventKey? {
        let key = eventKey(peers[peer].session, sequence)
        return [key, EventKey(id: key.id, isProven: false)].first { isOwn($0, of: peer) }
    }

    /// Whether the peer speaks for the session that triggered the event, as the same user. A daemon
    /// of release 0.1.0 ignored secrets, so its records do not say whether the session had one.
    private func isOwn(_ key: EventKey, of peer: PeerID) -> Bool {
        guard let owner = traffic.durable[key]?.owner, owner.covers(peers[peer].credentials.owner)
        else {
            return false
        }
        let session = sessions.identity(peers[peer].session)
        return session == key.session || (session.id == key.id.session && !owner.isKeyKnown)
    }

    /// Looks up an accepted event for a session that has resumed. If the bus no longer knows the
    /// event, it reports that to the session, which then stops waiting.
    mutating func recall(_ header: Header, by peer: PeerID) {
        guard let key = ownKey(header.sequence, of: peer) else {
            let failure = Failure(
                .durableLost, message: "the bus no longer knows of this durable event")
            send(
                Settled(
                    ended: OutcomeMessage(
                        sequence: header.sequence, code: .failed, failure: failure),
                    name: EventName(.durableLost), origin: .root), to: peer)
            return
        }
        sendSettled(key, to: peer)
    }

    /// Removes an event from the store and from the journal. If the removal is lost in a power
    /// failure, an outcome is sent once more, which is harmless; an event would be handled again.
    mutating func forgetDurable(_ id: EventKey, isSynced: Bool = false) {
        traffic.durable.remove(id, &accounts)
        _ = write(nil, of: id.journalKey, for: nil, isSynced: isSynced)
    }
}
