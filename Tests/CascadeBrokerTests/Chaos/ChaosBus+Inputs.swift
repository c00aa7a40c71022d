// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSimulator
import CascadeTestSupport
import CascadeWire

/// The next input: valid, hostile, or the passing of time.
extension ChaosBus {
    private static let peersMax = 8
    static let names = 14
    /// Queries have numbers of their own: a repeating one may be refused while another request waits.
    private static let firstQuery: UInt64 = 1 << 32

    mutating func step() throws {
        // What is sent again is sent once on a connection, also where it is parked.
        if let peer = peers.first(where: { $0.isOpen && !$0.hasRaised }), generator.isLucky(50),
            !parksInputs(of: peer.id)
        {
            sendAgain(peer.id)
        }
        let open = peers.indices.filter { peers[$0].isOpen }
        switch (generator.below(100), open.isEmpty ? nil : generator.pick(open)) {
        case (0..<8, _): connect()
        case (8..<9, _): endConnection()
        case (9..<10, _): endProcess()
        case (10..<16, _): letTimePass()
        case (16..<28, let place?): try attach(place)
        case (28..<35, let place?): try change(place)
        case (35..<38, let place?): leave(place)
        case (38..<41, let place?): try activate(place)
        case (41..<58, let place?): try raise(.trigger, place)
        case (58..<66, let place?): try raise(.publish, place)
        case (66..<85, let place?): try answer(place)
        case (85..<88, let place?): returnCredit(place)
        case (88..<89, let place?): try set(place)
        case (89..<90, let place?): try look(place)
        case (90..<91, let place?): receive(Header(.beat, id: peers[place].lastBeat), [], place)
        case (91..<93, let place?): cancel(place)
        case (93..<97, let place?): forge(place)
        case (97..<99, let place?): try administer(place)
        case (99, let place?):
            handle(.malformed(peers[place].id, WireError("rubbish")))
        default: connect()
        }
    }

    private mutating func look(_ place: Int) throws {
        if generator.isLucky(40) {
            let query = Query(
                request: Self.firstQuery + UInt64(generator.below(3)), try environmentSubject(),
                isRepeating: generator.isLucky(30))
            say(query, place)
            return
        }
        let subjects: [Query.Subject] = [
            .bus, .undelivered,
            .monitor(
                MonitorFilter(
                    sinceMilliseconds: 10_000, withPayloads: generator.isLucky(50),
                    perSecond: place.isMultiple(of: 2) ? 20 : 0, withTrails: place.isMultiple(of: 3)
                )),
            .route(RouteQuery(.event, try name(), from: try path())),
            .trace(EventID(session: peers[place].session, sequence: 1)),
        ]
        say(
            Query(
                request: Self.firstQuery + 1, generator.pick(subjects),
                isRepeating: generator.isLucky(60)), place)
    }

    /// Clears the retained publications one after another.
    mutating func clearRetained() {
        while !retainedKeys.isEmpty {
            guard let place = peers.firstIndex(where: \.isOpen) else {
                connect()
                continue
            }
            for key in retainedKeys {
                say(Administer(request: 1, .clearRetained(name: key.name, path: key.path)), place)
            }
        }
        for peer in peers {
            handle(.gone(peer.id))
        }
        peers = []
    }

    // MARK: - Sessions and time

    private mutating func connect() {
        guard peers.count < Self.peersMax else {
            return
        }
        lastPeer += 1
        // Indices are reused, and a session may return while its predecessor is connected.
        let used = Set(peers.map(\.id.index))
        let index = (0..<UInt32(Self.peersMax + 1)).first { !used.contains($0) } ?? 0
        let session = SessionID(high: 5, low: UInt64(generator.below(12)))
        let peer = ChaosPeer(
            id: PeerID(index: index, generation: lastPeer), session: session,
            lastSequence: lastSequences[session] ?? 0)
        peers.append(peer)
        handle(.connected(peer.id, Credentials(processID: 1, userID: 1, groupID: 1)))
        if generator.isLucky(90) {
            say(Hello(session: session, program: "chaos", processID: 1), peer.id)
        }
    }

    private mutating func endConnection() {
        if !peers.isEmpty {
            lose(generator.below(peers.count))
        }
    }

    /// The process of one peer exits; its connection ends later.
    private mutating func endProcess() {
        if !peers.isEmpty {
            let place = generator.below(peers.count)
            peers[place].hasExited = true
            handle(.exited(peers[place].id))
        }
    }

    /// Reports the end of a connection. The peer receives nothing more, unless messages of it are
    /// parked: then the broker ends it later.
    mutating func lose(_ place: Int) {
        let peer = peers[place].id
        if !parksInputs(of: peer) {
            peers.remove(at: place)
        }
        handle(.gone(peer))
    }

    private mutating func letTimePass() {
        let spans: [UInt32] = [0, 1, 1, 50, 200, 200, 1000, 3000]
        advance(milliseconds: generator.isLucky(1) ? 86_400_000 : generator.pick(spans))
    }

    // MARK: - Events

    private mutating func raise(_ command: Command, _ place: Int) throws {
        // Parked messages may find more credit when they are handled than when they were sent.
        guard peers[place].creditUsed < Int(limits.credit) || !parksInputs(of: peers[place].id)
        else {
            return
        }
        var header = Header(command)
        header.flags = HeaderFlags(rawValue: UInt8(generator.below(16)))
        if generator.isLucky(60) {
            header.flags.remove(.unacknowledged)
        }
        if command == .publish, generator.isLucky(25) {
            header.flags.insert(.retained)
        }
        header.sequence = peers[place].lastSequence + 1
        header.time = generator.pick([0, 0, 5, 500, 5000])
        let causes: UInt16 = generator.pick([0, 0, 0, 0, 5, 40])
        header.code =
            command == .publish
            ? UInt32(1 + generator.below(4)) | UInt32(causes) << 8
            : LaneCode(generator.pick(Lane.allCases), causes: causes).rawValue
        let name = try name()
        var raised = RaisedFields()
        if generator.isLucky(20) {
            raised.holdMilliseconds = generator.pick([1, 500, 20_000])
        }
        var path: NodePath?
        if let node = ownNode(place), generator.isLucky(75) {
            header.node = node
            path = peers[place].own[node]?.path
        } else {
            raised.origin = try self.path()
            path = raised.origin
        }
        if let number = peers[place].names.first(where: { $0.value == name })?.key {
            header.name = number
        } else {
            raised.name = name
        }
        if peers[place].isUplink(header.node), generator.isLucky(60) {
            try raiseForeign(&raised, name, from: path ?? .root)
            if header.flags.contains(.retained), command == .publish, generator.isLucky(40) {
                let reach: Reach = generator.pick([.publishedBefore, .later])
                header.code = header.code & ~0xFF | reach.rawValue
            }
        }
        var fields = FieldWriter()
        raised.write(to: &fields)
        header.flags.insert(.addressedInFields)
        note(header, ChaosBus.Source(path: path ?? .root, name: name), place)
        receive(header, fields.bytes, place)
    }

    /// Makes a message one of another bus, mostly of a place for which the node speaks.
    private mutating func raiseForeign(
        _ raised: inout RaisedFields, _ name: EventName, from node: NodePath
    ) throws {
        foreignCount += 1
        let id = EventID(
            session: SessionID(high: 9, low: UInt64(generator.below(400))), sequence: foreignCount)
        raised.raisedAs = RaisedAs(id, isRepeated: generator.isLucky(20))
        let place = "f\(generator.below(400))"
        let site: NodePath = node.isRoot || generator.isLucky(1) ? "/hq:" : node
        let origin = generator.isLucky(10) ? site : try site.appending(place)
        raised.origin = origin
        sources[id] = Source(path: origin, name: name, isForeign: true)
    }

    /// Sends the messages without a known outcome again, before anything new. They may be under
    /// way, may have ended or been cancelled meanwhile, or may never have been accepted.
    private mutating func sendAgain(_ peer: PeerID) {
        guard let session = place(of: peer).map({ peers[$0].session }) else {
            return
        }
        for sequence in (unfinished[session] ?? []).sorted() {
            guard let place = place(of: peer), peers[place].creditUsed < Int(limits.credit),
                unfinished[session]?.contains(sequence) == true
            else {
                return
            }
            peers[place].pending.insert(sequence)
            sources[EventID(session: session, sequence: sequence)]?.isAmbiguous = true
            let header = Header(
                generator.isLucky(70) ? .trigger : .publish,
                flags: [.sentAgain, .addressedInFields], sequence: sequence,
                code: UInt32(1 + generator.below(2)))
            receive(header, RaisedFields(name: try? name()).fieldBytes, place)
        }
    }

    private mutating func cancel(_ place: Int) {
        let sequence = peers[place].pending.sorted().first ?? 1
        receive(Header(.cancel, sequence: sequence), [], place)
    }

    /// The expectation of a peer for a trigger or publication.
    mutating func note(_ header: Header, _ source: Source, _ place: Int) {
        let peer = peers[place]
        if header.sequence > peer.lastSequenceHere, peer.creditUsed < Int(limits.credit) {
            if header.flags.contains(.unacknowledged) {
                peers[place].silent.insert(header.sequence)
                peers[place].silentCount += 1
            } else {
                peers[place].pending.insert(header.sequence)
                unfinished[peer.session, default: []].insert(header.sequence)
            }
        }
        let id = EventID(session: peer.session, sequence: header.sequence)
        // A message that is parked starts at the node that has its path when it is handled.
        let isAmbiguous = sources.updateValue(source, forKey: id) != nil
        if isAmbiguous || parksInputs(of: peer.id) {
            sources[id]?.isAmbiguous = true
        }
        peers[place].lastSequence = max(peer.lastSequence, header.sequence)
        peers[place].lastSequenceHere = max(peer.lastSequenceHere, header.sequence)
        lastSequences[peer.session] = max(
            lastSequences[peer.session] ?? 0, header.sequence)
    }

    // MARK: - Messages

    mutating func say(_ message: some WireMessage, _ place: Int) {
        say(message, peers[place].id)
    }

    private mutating func say(_ message: some WireMessage, _ peer: PeerID) {
        var fields = FieldWriter()
        message.write(to: &fields)
        var header = message.header
        header.fieldsLength = UInt32(fields.bytes.count)
        receive(header, fields.bytes, from: peer, body: [])
    }

    /// More than the limit of bytes in a message.
    static let longBody = [UInt8](repeating: 0, count: 4_096)

    mutating func receive(_ header: Header, _ fields: [UInt8], _ place: Int) {
        receive(header, fields, place, body: generator.pick([[], Array(#"{"a":1}"#.utf8)]))
    }

    mutating func receive(_ header: Header, _ fields: [UInt8], _ place: Int, body: [UInt8]) {
        receive(header, fields, from: peers[place].id, body: body)
    }

    private mutating func receive(
        _ header: Header, _ fields: [UInt8], from peer: PeerID, body: [UInt8]
    ) {
        var header = header
        header.fieldsLength = UInt32(fields.count)
        let payload = OwnedPayload(header.encoded() + fields + body)
        payloads.insert(payload)
        handle(.received(peer, payload))
    }
}

extension RaisedFields {
    fileprivate var fieldBytes: [UInt8] {
        var fields = FieldWriter()
        write(to: &fields)
        return fields.bytes
    }
}
