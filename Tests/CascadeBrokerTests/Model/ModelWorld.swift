// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeTestSupport
import CascadeWire

/// A broker with sessions that answer at once, beside a model of the same tree.
struct ModelWorld {
    typealias Place = ReferenceModel.Place

    struct Session {
        var peer: PeerID
        var sequence: UInt64 = 0
        var places: [Place] = []
    }

    /// What came of one event or publication.
    struct Result {
        var ended: Ended?
        var visits: [ReferenceModel.Visit] = []
        var recipients: [Place] = []
        /// What was said that should not have been.
        var surprises: [String] = []
    }

    var generator: SeededGenerator
    let behaviour: RandomBehaviour
    var model = ReferenceModel()
    var sessions: [Session] = []

    private var broker: Broker
    private var now = Instant(nanoseconds: 1)
    private var lastPeer = PeerID(index: 0, generation: 1)
    private var lastSession: UInt64 = 0
    private var lastRequest: UInt64 = 0
    private var lastPayload: UInt32 = 0
    private var names: [UInt32: Int] = [:]
    private var headers: [PayloadID: Header] = [:]
    private var texts: [PayloadID: Int] = [:]
    var numbers: [Place: UInt32] = [:]
    private var places: [UInt32: Place] = [:]
    /// Messages for the peers that have not been dealt with.
    private var effects: [Effect] = []
    private var result = Result()

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        behaviour = RandomBehaviour(seed: seed)
        broker = Broker(
            configuration: BrokerConfiguration(bus: "model", release: "1", processID: 1), at: now)
        for _ in 0..<(1 + generator.below(3)) {
            connect()
        }
    }

    // MARK: - Names

    static func path(_ place: Place) -> NodePath {
        NodePath(joining: place.map { "p\($0)" })
    }

    static func place(_ path: NodePath) -> Place {
        path.components.compactMap { Int($0.dropFirst()) }
    }

    static func name(_ number: Int) throws -> EventName {
        try EventName("Name\(number)")
    }

    static func number(_ name: EventName) -> Int {
        Int(name.description.dropFirst(4)) ?? -1
    }

    // MARK: - Sessions and nodes

    mutating func connect() {
        lastPeer.index += 1
        lastSession += 1
        handle(.connected(lastPeer, Credentials(processID: 1, userID: 1, groupID: 1)))
        sessions.append(Session(peer: lastPeer))
        let hello = Hello(
            session: SessionID(high: 0, low: lastSession), program: "model", processID: 1)
        say(hello, from: sessions.count - 1)
    }

    mutating func lose(_ session: Int) {
        let lost = sessions.remove(at: session)
        handle(.gone(lost.peer))
        for place in lost.places {
            forget(place)
        }
    }

    mutating func attach(_ place: Place, _ node: ReferenceModel.Node, by session: Int) throws {
        lastRequest += 1
        let declaration = try Self.declaration(place, node)
        say(Attach(request: lastRequest, nodes: [declaration]), from: session)
        sessions[session].places.append(place)
        model.attach(place, node)
    }

    mutating func change(_ place: Place, _ node: ReferenceModel.Node, by session: Int) throws {
        lastRequest += 1
        let declaration = try Self.declaration(place, node)
        say(
            Change(request: lastRequest, node: numbers[place] ?? 0, declaration: declaration),
            from: session)
        model.change(place, node)
    }

    mutating func activate(_ place: Place, _ isActive: Bool) {
        lastRequest += 1
        let message = Activate(
            request: lastRequest, path: Self.path(place), isActive: isActive)
        say(message, from: 0)
        model.activate(place, isActive)
    }

    mutating func leave(_ place: Place, by session: Int) {
        lastRequest += 1
        say(Leave(request: lastRequest, node: numbers[place] ?? 0), from: session)
        sessions[session].places.removeAll { $0 == place }
        forget(place)
    }

    private mutating func forget(_ place: Place) {
        model.remove(place)
        if let number = numbers.removeValue(forKey: place) {
            places[number] = nil
        }
    }

    private static func declaration(
        _ place: Place, _ node: ReferenceModel.Node
    ) throws -> NodeDeclaration {
        NodeDeclaration(
            path: path(place),
            responders: try node.responders.map { responder in
                ResponderDeclaration(responder.kind, try responder.name.map { try name($0) })
            },
            subscriptions: try node.subscriptions.sorted().map { try name($0) },
            isActive: node.isActive)
    }

    // MARK: - Events

    /// Raises an event or publication, at a node of the session or from outside, and lets everybody
    /// answer until it has ended.
    mutating func raise(
        _ header: Header, name: Int, at place: Place, by session: Int, isOutside: Bool
    ) throws -> Result {
        result = Result()
        var header = header
        sessions[session].sequence += 1
        header.sequence = sessions[session].sequence
        var raised = Raised()
        if let number = names.first(where: { $0.value == name })?.key, generator.isLucky(80) {
            header.name = number
        } else {
            raised.name = try Self.name(name)
        }
        if isOutside {
            raised.origin = Self.path(place)
        } else {
            header.node = numbers[place] ?? 0
        }
        var fields = FieldWriter()
        raised.write(to: &fields)
        if !fields.bytes.isEmpty {
            header.flags.insert(.addressedInFields)
            header.fieldsLength = UInt32(fields.bytes.count)
        }
        let payload = store(name)
        now.nanoseconds += 1000
        handle(
            .received(sessions[session].peer, header, fields: fields.bytes, payload: payload))
        return result
    }

    private mutating func store(_ name: Int) -> PayloadID {
        lastPayload += 1
        texts[PayloadID(lastPayload)] = name
        return PayloadID(lastPayload)
    }

    // MARK: - What the broker does

    private mutating func say(_ message: some WireMessage, from session: Int) {
        var fields = FieldWriter()
        message.write(to: &fields)
        var header = message.header
        header.fieldsLength = UInt32(fields.bytes.count)
        handle(
            .received(sessions[session].peer, header, fields: fields.bytes, payload: nil))
    }

    /// Hands the broker an input, then carries out what it wants done, answers included.
    private mutating func handle(_ input: Input) {
        broker.handle(input, at: now, into: &effects)
        while !effects.isEmpty {
            let batch = effects
            effects.removeAll(keepingCapacity: true)
            for effect in batch {
                perform(effect)
            }
        }
    }

    private mutating func perform(_ effect: Effect) {
        switch effect {
        case .stamp(let payload, let header):
            headers[payload] = header
        case .forward(let payload, let peer, let itinerary, _):
            guard let header = headers[payload] else {
                result.surprises.append("a message without a header")
                return
            }
            if header.command == .visit {
                visited(header, payload, peer, itinerary)
            } else {
                delivered(header, payload, peer, itinerary)
            }
        case .send(let header, _):
            if header.command == .outcome {
                result.ended = try? Ended(header: header, fields: FieldReader([]))
            }
        case .sendMessage(let bytes, _):
            heard(bytes)
        case .release(let payload):
            headers[payload] = nil
            texts[payload] = nil
        case .unshare, .compose, .recompose, .examine, .disconnect, .log:
            break
        }
    }

    private mutating func heard(_ bytes: [UInt8]) {
        if let define = try? Define(parsing: bytes) {
            for case .name(let number, let name) in define.definitions {
                names[number] = Self.number(name)
            }
        } else if let attached = try? Attached(parsing: bytes) {
            for node in attached.nodes {
                numbers[Self.place(node.path)] = node.number
                places[node.number] = Self.place(node.path)
            }
        } else if let ended = try? Ended(parsing: bytes) {
            result.ended = ended
        } else if let refused = try? Refused(parsing: bytes) {
            result.surprises.append(refused.sentence)
        } else if let violation = try? Violation(parsing: bytes) {
            result.surprises.append(violation.sentence)
        }
    }

    // MARK: - Answers

    private mutating func visited(
        _ header: Header, _ payload: PayloadID, _ peer: PeerID, _ itinerary: Itinerary?
    ) {
        let name = header.name == 0 ? texts[payload] : names[header.name]
        let stops = itinerary?.stops ?? [.init(node: header.node, responder: header.index)]
        var verdict = Verdict(delivery: header.id, node: header.node, code: .passed)
        var newName: Int?
        for (index, stop) in stops.enumerated() {
            verdict.stop = UInt16(index)
            guard let place = places[stop.node], let name,
                let responders = model.nodes[place]?.responders,
                Int(stop.responder) < responders.count
            else {
                result.surprises.append("a visit to nobody, or of no name")
                break
            }
            let visit = ReferenceModel.Visit(
                place: place, responder: Int(stop.responder), name: name)
            result.visits.append(visit)
            let kind = responders[visit.responder].kind
            let answer = behaviour.answer(visit, kind)
            // An observer's failure is its own affair, unless it is the last to be asked.
            let isPassing = answer == .passed || (answer == .failed && kind == .observe)
            if isPassing, index < stops.count - 1 {
                continue
            }
            switch answer {
            case .passed: verdict.code = .passed
            case .handled: verdict.code = .handled
            case .failed: verdict.code = .failed
            case .replaced(let new):
                verdict.code = .replaced
                newName = new
            }
            break
        }
        answer(verdict, newName, peer)
    }

    private mutating func answer(_ verdict: Verdict, _ newName: Int?, _ peer: PeerID) {
        var verdict = verdict
        if generator.isLucky(50) {
            receive(Header(.accept, node: verdict.node, id: verdict.delivery), peer)
        }
        verdict.newName = newName.flatMap { try? Self.name($0) }
        var fields = FieldWriter()
        verdict.write(to: &fields)
        var header = verdict.header
        header.fieldsLength = UInt32(fields.bytes.count)
        let payload = newName.map { store($0) }
        receive(header, peer, fields: fields.bytes, payload: payload)
    }

    private mutating func delivered(
        _ header: Header, _ payload: PayloadID, _ peer: PeerID, _ itinerary: Itinerary?
    ) {
        let name = header.name == 0 ? texts[payload] : names[header.name]
        let own = sessions.first { $0.peer == peer }?.places ?? []
        let subscribers = own.filter { place in
            name.map { model.nodes[place]?.subscriptions.contains($0) == true } ?? false
        }
        let addressed = itinerary?.stops.first.flatMap { places[$0.node] }
        guard let name, let place = addressed ?? (subscribers.count == 1 ? subscribers[0] : nil)
        else {
            result.surprises.append("a delivery to nobody, or of no name")
            return
        }
        result.recipients.append(place)
        let code: VerdictCode = behaviour.fails(place, name) ? .failed : .handled
        let verdict = Verdict(delivery: header.id, node: numbers[place] ?? 0, code: code)
        answer(verdict, nil, peer)
    }

    private mutating func receive(
        _ header: Header, _ peer: PeerID, fields: [UInt8] = [], payload: PayloadID? = nil
    ) {
        broker.handle(
            .received(peer, header, fields: fields, payload: payload), at: now, into: &effects)
    }
}
