// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The start of a daemon on a journal that an earlier one has written.
extension Broker {
    /// Restores the records of the journal in the order in which they were written. An event
    /// without an outcome starts again from its origin; an outcome is kept for sessions that ask
    /// for it.
    mutating func recovered(_ records: [[UInt8]], fault: String?) {
        if let fault {
            _ = traffic.durable.fail(fault, retry: now)
            log(.journalFailed(sentence: fault))
        }
        var events: [DurableRecord] = []
        var unreadable = 0
        for body in records {
            do throws(WireError) {
                if let event = try take(body) {
                    events.append(event)
                }
            } catch {
                unreadable += 1
            }
        }
        // An outcome that was forgotten may be there again: that is not synced.
        shrinkDurableOutcomes()
        for event in events {
            resume(event)
        }
        if !records.isEmpty {
            log(
                .journalRead(
                    eventCount: events.count, outcomeCount: traffic.durable.settled.count,
                    unreadableCount: unreadable))
        }
    }

    /// Returns the event that the record holds, if it holds one.
    private mutating func take(_ body: [UInt8]) throws(WireError) -> DurableRecord? {
        guard let header = try? Header(parsing: body) else {
            var fields = FieldReader(body)
            while let field = try fields.next() {
                if field.tag == .age {
                    traffic.durable.recordAgeAtStart(try field.integer())
                }
            }
            return nil
        }
        guard header.command == .settled else {
            let record = try DurableRecord(parsing: body)
            traffic.durable.recordAgeAtStart(record.age)
            return record
        }
        let record = try SettledRecord(parsing: body)
        if let id = record.settled.id {
            _ = traffic.durable.insert(
                EventKey(id: id, isProven: record.owner.isProven),
                DurableEvent(
                    state: .settled(record.settled), owner: record.owner,
                    account: accounts.number(of: record.owner.owner),
                    origin: record.settled.origin, byteCount: body.count), &accounts)
        }
        return nil
    }

    private mutating func resume(_ record: DurableRecord) {
        let originPath = record.raised.origin ?? .root
        let isNew = traffic.durable.insert(
            record.key,
            DurableEvent(
                state: .underWay, owner: record.owner,
                account: accounts.number(of: record.owner.owner), origin: originPath,
                byteCount: max(1, record.encoded().count)), &accounts)
        guard isNew else {
            return
        }
        var fields = FieldWriter()
        record.raised.write(to: &fields)
        // Durable events have a bound of their own; their messages are charged to the bus.
        let payload = OwnedPayload(fields: fields.bytes, body: record.payload)
        let session = sessions.insert(record.key.session)
        let name = record.raised.name
        let hold = record.expiry - min(record.expiry, traffic.durable.ageAtStart)
        let message = Message(
            origin: Origin(
                node: place(originPath), peer: Self.noPeer, session: session,
                sequence: record.id.sequence, ticket: record.id.sequence),
            name: name.flatMap { names.existingNumber(of: $0) } ?? NameIndex.none,
            words: MessageFields(RaisedFields(name: name, cause: record.raised.cause)),
            flags: record.flags.union(.sentAgain), payload: payload,
            deadline: now.advanced(byMilliseconds: record.milliseconds),
            milliseconds: record.milliseconds, causes: record.causes,
            holdMilliseconds: UInt32(clamping: max(1, hold)))
        let event = insert(message, .event, at: place(record.start))
        unpinSession(session)
        startMoving(event)
    }

    /// Creates the place, which no session has claimed again yet, if the limits allow it.
    private mutating func place(_ path: NodePath) -> NodeIndex {
        let limits = configuration.limits
        guard path.depth <= limits.depth, path.byteCount <= limits.pathBytes,
            hierarchy.count + hierarchy.missingCount([path]) <= limits.nodes
        else {
            return hierarchy.findNearest(path)
        }
        return findOrMake(path, for: AccountTable.own)
    }
}
