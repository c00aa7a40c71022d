// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A durable event as it stands in the journal: a `trigger` that needs nothing beside it, with a
/// few fields more. `DurableEvents.md` specifies it.
struct DurableRecord: Equatable, Sendable {
    var id: EventID
    var owner: DurableOwner
    /// The place at which its way up begins.
    var start: NodePath
    /// Until when it is held, on the clock of ``age``.
    var expiry: UInt64
    /// For how long there had been daemons on this journal when it was written, in milliseconds.
    var age: UInt64
    var flags: HeaderFlags
    var milliseconds: UInt32
    var causes: UInt16
    /// The fields of the raised message; the name and the origin are always set.
    var raised: RaisedFields
    var payload: [UInt8]

    func encoded() -> [UInt8] {
        var fields = FieldWriter()
        raised.write(to: &fields)
        fields.append(.sessionID) { parts in
            parts.append(id.session.high)
            parts.append(id.session.low)
        }
        owner.write(to: &fields)
        fields.append(.start, start.description)
        fields.append(.expiry, expiry)
        fields.append(.age, age)
        let header = Header(
            .trigger, flags: flags, fieldsLength: UInt32(fields.bytes.count),
            sequence: id.sequence, time: milliseconds,
            code: LaneCode(.event, causes: causes).rawValue)
        return header.encoded() + fields.bytes + payload
    }

    init(
        id: EventID, owner: DurableOwner, start: NodePath, expiry: UInt64, age: UInt64,
        flags: HeaderFlags, milliseconds: UInt32, causes: UInt16, raised: RaisedFields,
        payload: [UInt8]
    ) {
        self.id = id
        self.owner = owner
        self.start = start
        self.expiry = expiry
        self.age = age
        self.flags = flags
        self.milliseconds = milliseconds
        self.causes = causes
        self.raised = raised
        self.payload = payload
    }

    /// The key of the event.
    var key: EventKey {
        EventKey(id: id, isProven: owner.isProven)
    }

    init(parsing message: [UInt8]) throws(WireError) {
        let header = try Header(parsing: message)
        guard header.command == .trigger, let code = LaneCode(rawValue: header.code) else {
            throw WireError("a '\(header.command)' stands where a durable event should")
        }
        let fields = header.fields(of: message)
        var session: SessionID?
        var start: NodePath?
        expiry = 0
        age = 0
        var rest = fields
        while let field = try rest.next() {
            switch field.tag {
            case .sessionID:
                var parts = field.parts
                session = try SessionID(high: parts.integer(), low: parts.integer())
            case .start: start = try NodePath(decoding: field.text())
            case .expiry: expiry = try field.integer()
            case .age: age = try field.integer()
            default: break
            }
        }
        owner = try DurableOwner(fields: fields)
        raised = try RaisedFields(fields: fields)
        guard let session, let start, raised.name != nil, raised.origin != nil else {
            throw WireError("a durable event lacks its session, its name or a place")
        }
        id = EventID(session: session, sequence: header.sequence)
        self.start = start
        flags = header.flags
        milliseconds = header.time
        causes = code.causes
        payload = Array(header.payload(of: message))
    }
}

/// The outcome of a durable event as recorded in the journal: a `settled` with the event's ID and
/// owner.
struct SettledRecord: Equatable, Sendable {
    var owner: DurableOwner
    /// Its ID is always there.
    var settled: Settled

    init(owner: DurableOwner, settled: Settled) {
        self.owner = owner
        self.settled = settled
    }

    func encoded() -> [UInt8] {
        var fields = FieldWriter()
        settled.write(to: &fields)
        owner.write(to: &fields)
        var header = settled.header
        header.fieldsLength = UInt32(fields.bytes.count)
        return header.encoded() + fields.bytes
    }

    init(parsing message: [UInt8]) throws(WireError) {
        settled = try Settled(parsing: message)
        owner = try DurableOwner(fields: Header(parsing: message).fields(of: message))
        guard settled.id != nil else {
            throw WireError("the outcome of a durable event does not say of which")
        }
    }
}

extension EventKey {
    /// In the journal, events of sessions that have proved their IDs stand beside those of sessions
    /// that have not: a bit of the sequence number tells them apart.
    private static let provenBit: UInt64 = 1 << 63

    /// The key of its record in the journal.
    var journalKey: EventID {
        isProven ? EventID(session: id.session, sequence: id.sequence | Self.provenBit) : id
    }

    /// Whether the sequence number leaves the bit free.
    var isStorable: Bool {
        id.sequence & Self.provenBit == 0
    }
}
