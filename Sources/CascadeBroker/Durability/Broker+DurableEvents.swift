// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Durable events on their way in: written first, then accepted, then on their way like any other.
extension Broker {
    /// Throws where the event cannot be kept, as far as can be told before its bytes are known.
    func checkDurable(_ message: RaisedMessage, _ lane: Lane) throws(WireError) {
        guard configuration.keepsDurable else {
            throw WireError(
                .notDurable,
                "this bus keeps no durable events: its daemon was started without a state "
                    + "directory (cascaded --state-directory)")
        }
        guard lane == .event, !message.isUnacknowledged else {
            throw WireError(
                .notDurable, "only an event whose outcome is told can be durable")
        }
        guard durability.underWayCount < configuration.limits.durable else {
            throw WireError(
                .limitReached,
                "\(durability.underWayCount) durable events have no outcome yet, the most there "
                    + "may be (limit durable)")
        }
        if let fault = durability.fault, now < fault.retry {
            throw WireError(.journalFailed, fault.sentence)
        }
    }

    /// Whether what the peer raises has to wait behind a durable event of its session.
    func isBehindDurable(_ peer: PeerID) -> Bool {
        durability.isWriting && durability.isWriting(for: sessions[peers[peer].session])
    }

    /// The event waits until the durable events that its session triggered before are written.
    mutating func followDurable(_ event: UInt32) {
        durability.follow(
            DurableFollower(event: event, generation: propagations.generation(event)),
            of: sessions[propagations[event].origin.session])
    }

    /// Has the event's bytes brought, to write them.
    mutating func keepDurable(_ event: UInt32) {
        // While it is not accepted it has all the time there is.
        deadlines.remove(&propagations[event].deadlineHandle)
        effects.append(
            .examine(
                propagations[event].payload,
                .durable(event, generation: propagations.generation(event))))
    }

    mutating func examinedDurable(
        _ event: UInt32, generation: UInt32, fields: [UInt8], payload: [UInt8]
    ) {
        guard propagations.contains(event, generation: generation) else {
            return
        }
        do throws(WireError) {
            try writeDurable(event, fields: fields, payload: payload)
        } catch {
            refuseDurable(event, error)
        }
    }

    private mutating func writeDurable(
        _ event: UInt32, fields: [UInt8], payload: [UInt8]
    ) throws(WireError) {
        let origin = propagations[event].origin
        let id = durableID(event)
        let hold = propagations[event].holdDeadline?.milliseconds(from: now) ?? 0
        var raised = try Raised(fields: FieldReader(fields))
        raised.name = currentName(of: event)
        raised.origin = hierarchy.path(of: origin.node)
        let userID = peers[origin.peer].credentials.userID
        let body = DurableRecord(
            id: id, userID: userID, start: hierarchy.path(of: propagations[event].start),
            expiry: age + UInt64(hold), age: age, flags: propagations[event].flags,
            milliseconds: propagations[event].milliseconds, causes: propagations[event].causes,
            raised: raised, payload: payload
        ).encoded()
        let limit = configuration.limits.durableBytes
        guard durability.byteCount + body.count <= Int(limit) else {
            throw WireError(
                .limitReached,
                "the durable events without an outcome have \(durability.byteCount) bytes, and "
                    + "this one \(body.count): more than \(limit) (limit durableBytes)")
        }
        durability.insert(
            id,
            DurableEvent(
                state: .writing, userID: userID, origin: raised.origin ?? .root,
                byteCount: body.count))
        let subject = PendingWrite.Subject.event(
            event, generation: propagations.generation(event), session: id.session)
        durability.beginWriting(write(body, of: id, for: subject), for: id.session)
    }

    func durableID(_ event: UInt32) -> EventID {
        let origin = propagations[event].origin
        return EventID(session: sessions[origin.session], sequence: origin.sequence)
    }

    func isDurable(_ event: UInt32) -> Bool {
        propagations[event].flags.contains(.durable)
    }

    /// The event never happened.
    mutating func refuseDurable(_ event: UInt32, _ error: WireError) {
        let origin = propagations[event].origin
        if case .writing? = durability[durableID(event)]?.state {
            durability.remove(durableID(event))
        }
        counters.refused += 1
        if let peer = takeBackCredit(of: event) {
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

    /// The event no longer counts against its session's credit. Returns the connection that the
    /// session has now; one that has come since has given no credit for it.
    mutating func takeBackCredit(of event: UInt32) -> PeerID? {
        let origin = propagations[event].origin
        guard !peers.isGreeted(origin.peer) else {
            peers[origin.peer].creditUsed -= 1
            return origin.peer
        }
        let session = sessions[origin.session]
        return peers.peer(of: session).flatMap { peers.isGreeted($0) ? $0 : nil }
    }

    /// The event is written: it is the bus's now.
    mutating func acceptDurable(_ event: UInt32) {
        let origin = propagations[event].origin
        durability.accept(durableID(event))
        counters.durable += 1
        if let peer = takeBackCredit(of: event) {
            effects.append(.send(Header(.accepted, sequence: origin.ticket), to: peer))
        }
        giveFreshDeadline(event)
        setOut(event)
    }

    /// A durable event was sent again. Returns whether the bus has it already, so that its origin
    /// is told so once more.
    mutating func isKept(_ header: Header, of peer: PeerID) -> Bool {
        let id = EventID(session: sessions[peers[peer].session], sequence: header.sequence)
        guard let event = durability[id], event.userID == peers[peer].credentials.userID else {
            return false
        }
        if case .writing = event.state {
            // What it waits for it is told on this connection.
            return true
        }
        effects.append(.send(Header(.accepted, sequence: header.sequence), to: peer))
        tellSettled(id, to: peer)
        return true
    }
}
