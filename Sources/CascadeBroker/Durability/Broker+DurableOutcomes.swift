// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// Outcomes of durable events: written before they are told, and told until somebody has them.
extension Broker {
    /// The event has ended. Its record is replaced by its outcome.
    mutating func conclude(_ event: UInt32, _ ended: Ended) {
        let id = durableID(event)
        guard let durable = durability[id] else {
            return
        }
        if case .writing = durable.state {
            // It has not been accepted, and will not be: its outcome gives its credit back.
            _ = takeBackCredit(of: event)
        }
        let settled = Settled(
            ended: ended, id: id, name: currentName(of: event), origin: durable.origin,
            handler: ended.node == Header.noNode ? nil : hierarchy.path(of: ended.node))
        durability.end(id, settled)
        if durable.isOutcomeWanted {
            writeOutcome(id)
        } else {
            forgetDurable(id, isSynced: true)
        }
    }

    mutating func writeOutcome(_ id: EventID) {
        guard let event = durability[id], case .settling(let settled) = event.state else {
            return
        }
        if let fault = durability.fault, !fault.takesOutcomes, now < fault.retry {
            durability.unwritten.append(id)
            scheduleJournalRetry()
            return
        }
        let body = SettledRecord(userID: event.userID, settled: settled).encoded()
        _ = write(body, of: id, for: .outcome(id))
    }

    /// The outcome is written. It is told to whoever is there for it.
    mutating func settleDurable(_ id: EventID) {
        durability.settle(id)
        while durability.settled.count > configuration.limits.durableOutcomes,
            let oldest = durability.settled.first
        {
            counters.durableForgotten += 1
            forgetDurable(oldest)
        }
        guard let event = durability[id] else {
            return
        }
        guard event.isOutcomeWanted else {
            forgetDurable(id)
            return
        }
        if let receiver = receiver(of: id, event) {
            tellSettled(id, to: receiver)
        }
    }

    /// Who is to have the outcome: the session that raised the event, else the node that stands
    /// where it was raised.
    private func receiver(of id: EventID, _ event: DurableEvent) -> PeerID? {
        if let peer = peers.peer(of: id.session), peers.isGreeted(peer),
            peers[peer].credentials.userID == event.userID
        {
            return peer
        }
        guard let node = hierarchy.find(event.origin), hierarchy[node].wantsOutcomes,
            let holder = hierarchy[node].holder,
            peers[holder].credentials.userID == event.userID
        else {
            return nil
        }
        return holder
    }

    /// Tells the outcome, if it is there. Whoever raised the event knows it by its number, all
    /// others by its ID.
    mutating func tellSettled(_ id: EventID, to peer: PeerID) {
        guard case .settled(var settled)? = durability[id]?.state else {
            return
        }
        if sessions[peers[peer].session] == id.session {
            settled.id = nil
        }
        send(settled, to: peer)
    }

    /// These nodes have come: those that want the outcomes of what was raised in their places
    /// before get them.
    mutating func giveOutcomes(to nodes: [UInt32]) {
        guard !durability.settled.isEmpty else {
            return
        }
        for node in nodes where hierarchy[node].wantsOutcomes {
            guard let holder = hierarchy[node].holder else {
                continue
            }
            let path = hierarchy.path(of: node)
            for id in durability.settled {
                if let event = durability[id], event.origin == path,
                    receiver(of: id, event) == holder
                {
                    tellSettled(id, to: holder)
                }
            }
        }
    }

    /// The outcome has arrived, or nobody will ask for it.
    mutating func outcomeReceived(_ received: Received, by peer: PeerID) {
        let own = sessions[peers[peer].session]
        let id = received.id ?? EventID(session: own, sequence: received.sequence)
        guard let event = durability[id], event.userID == peers[peer].credentials.userID else {
            return
        }
        if case .settled = event.state {
            forgetDurable(id)
        } else {
            durability.disown(id)
        }
    }

    /// A session that has come back asks for an event that was accepted before. If the bus does not
    /// know it any more, that is said: nobody waits for what cannot come.
    mutating func recall(_ header: Header, by peer: PeerID) {
        let id = EventID(session: sessions[peers[peer].session], sequence: header.sequence)
        guard let event = durability[id], event.userID == peers[peer].credentials.userID else {
            let failure = Failure(
                .durableLost, message: "the bus no longer knows of this durable event")
            send(
                Settled(
                    ended: Ended(sequence: header.sequence, code: .failed, failure: failure),
                    name: EventName(.durableLost), origin: .root), to: peer)
            return
        }
        tellSettled(id, to: peer)
    }

    /// Nothing is kept of the event any more. An outcome that comes back because the power failed
    /// meanwhile is told once more, and does no harm; an event would be worked on again.
    mutating func forgetDurable(_ id: EventID, isSynced: Bool = false) {
        durability.remove(id)
        _ = write(nil, of: id, for: nil, isSynced: isSynced)
    }
}
