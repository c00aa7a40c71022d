// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Durable events on their way in: written first, then accepted, then on their way like any other.
extension Broker {
    /// Throws if the event cannot be stored, as far as that is known before its bytes are.
    func checkDurable(
        _ header: Header, _ lane: Lane, of account: AccountIndex
    ) throws(WireError) {
        guard configuration.keepsDurable else {
            throw WireError(
                .notDurable,
                "this bus keeps no durable events: its daemon was started without a state "
                    + "directory (cascaded --state-directory)")
        }
        guard lane == .event, !header.flags.contains(.unacknowledged) else {
            throw WireError(
                .notDurable, "only an event with an awaited outcome can be durable")
        }
        try share(of: account, in: .durable).check(1)
        if let fault = traffic.durable.fault, now < fault.retry {
            throw WireError(.journalFailed, fault.sentence)
        }
    }

    /// The event waits until the durable events that its session triggered before are written.
    mutating func followDurable(_ event: EventIndex) {
        traffic.events[event].beginFollowing()
        traffic.durable.follow(
            event, of: sessions[traffic.events[event].message.origin.session])
    }

    /// Writes the event to the journal. The event continues once it is stored.
    mutating func storeDurable(_ event: EventIndex) {
        traffic.events[event].beginWriting()
        // While it is not accepted it has all the time there is.
        deadlines.remove(traffic.events[event].deadline)
        do throws(WireError) {
            try writeDurable(event)
        } catch {
            // The journal has no record of this event; the record under its number is another
            // event's.
            refuseUnstored(event, error)
        }
    }

    private mutating func writeDurable(_ event: EventIndex) throws(WireError) {
        let origin = traffic.events[event].message.origin
        let key = eventKey(event)
        try checkNumber(key)
        let age = traffic.durable.age(at: now)
        let hold = traffic.events[event].holdDeadline?.milliseconds(from: now) ?? 0
        let payload = traffic.events[event].message.payload
        var raised = try RaisedFields(fields: FieldReader(payload.fields))
        raised.name = currentName(of: event)
        raised.origin = hierarchy.path(of: origin.node)
        let owner = DurableOwner(
            peers[origin.peer].credentials.owner, isProven: key.isProven)
        let body = DurableRecord(
            id: key.id, owner: owner, start: hierarchy.path(of: traffic.events[event].start),
            expiry: age + UInt64(hold), age: age, flags: traffic.events[event].message.flags,
            milliseconds: traffic.events[event].message.milliseconds,
            causes: traffic.events[event].message.causes,
            raised: raised, payload: Array(payload.body)
        ).encoded()
        forgetOutcomes(toMakeRoomFor: body.count, of: origin.account)
        try share(of: origin.account, in: .durableBytes).check(body.count)
        let isNew = traffic.durable.insert(
            key,
            DurableEvent(
                state: .writing, owner: owner, account: origin.account,
                origin: raised.origin ?? .root, byteCount: body.count), &accounts)
        guard isNew else {
            throw numberTaken(key)
        }
        let subject = PendingWrite.Subject.event(
            event, session: key.id.session)
        traffic.durable.beginWriting(
            write(body, of: key.journalKey, for: subject), for: key.id.session)
    }

    /// Throws if the event cannot be stored under its number. A stored event is never overwritten,
    /// not even by its own session.
    private func checkNumber(_ key: EventKey) throws(WireError) {
        guard key.isStorable else {
            throw WireError(
                .notDurable,
                "the number \(key.id.sequence) is too high: that of a durable event is below 2^63")
        }
        guard traffic.durable[key] == nil else {
            throw numberTaken(key)
        }
    }

    private func numberTaken(_ key: EventKey) -> WireError {
        WireError(
            .numberTaken, "the bus has a durable event under the ID \(key.id) already")
    }

    /// The event never happened.
    mutating func refuseDurable(_ event: EventIndex, _ error: WireError) {
        if case .writing? = traffic.durable[eventKey(event)]?.state {
            traffic.durable.remove(eventKey(event), &accounts)
        }
        refuseUnstored(event, error)
    }

    private mutating func refuseUnstored(_ event: EventIndex, _ error: WireError) {
        let origin = traffic.events[event].message.origin
        observers.counters.count(.refused)
        if let peer = returnCredit(of: event) {
            send(
                Refused(
                    sequence: origin.ticket, code: error.code, sentence: error.description),
                to: peer)
            log(
                .refused(
                    processID: peers[peer].credentials.processID, error.code,
                    sentence: error.description))
        }
        finish(event)
    }

    /// Returns the event's credit to its session. Returns the session's current connection, unless
    /// it was opened after the event came: such a connection gave no credit for it.
    mutating func returnCredit(of event: EventIndex) -> PeerID? {
        let origin = traffic.events[event].message.origin
        guard !peers.isGreeted(origin.peer) else {
            peers[origin.peer].returnCredit()
            return origin.peer
        }
        return peer(of: sessions.identity(origin.session))
    }

    /// The peer that speaks for the session.
    func peer(of session: SessionIdentity) -> PeerID? {
        peers.peer(of: session.id).flatMap { peer in
            peers.isGreeted(peer) && sessions.identity(peers[peer].session) == session ? peer : nil
        }
    }

    /// The event is written: it is the bus's now.
    mutating func acceptDurable(_ event: EventIndex) {
        let origin = traffic.events[event].message.origin
        traffic.durable.accept(eventKey(event))
        observers.counters.count(.durable)
        if let peer = returnCredit(of: event) {
            turn.effects.append(.send(Header(.accepted, sequence: origin.ticket), to: peer))
        }
        renewDeadline(event)
        startMoving(event)
    }

    /// Handles a durable event that was sent again. Returns whether the bus has it already; its
    /// origin is then notified again.
    mutating func isKept(_ header: Header, of peer: PeerID) -> Bool {
        guard let key = ownKey(header.sequence, of: peer), let event = traffic.durable[key] else {
            return false
        }
        if case .writing = event.state {
            // This connection receives the acceptance or the outcome once it is known.
            return true
        }
        turn.effects.append(.send(Header(.accepted, sequence: header.sequence), to: peer))
        sendSettled(key, to: peer)
        return true
    }
}
