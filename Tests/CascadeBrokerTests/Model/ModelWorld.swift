// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSimulator
import CascadeTestSupport
import CascadeWire

/// A broker with sessions that answer at once, beside a model of the same tree.
struct ModelWorld: ~Copyable {
    typealias Model = ReferenceModel
    typealias Place = ReferenceModel.Place

    struct Session {
        var peer: PeerID
        var sequence: UInt64 = 0
        var places: [Place] = []
    }

    /// The fields and the payload of a message.
    struct Content {
        var fields: [UInt8]
        var facts: Model.PredicateValues

        init(_ payload: Payload) {
            fields = payload.fields
            let raised = try? RaisedFields(fields: FieldReader(fields))
            let attribute: Model.PredicateValues =
                raised?.attributes == [Vocabulary.attribute] ? .attribute : []
            facts = Vocabulary.facts(Array(payload.body)).union(attribute)
        }
    }

    /// The record of one event or publication.
    struct Result {
        var ended: OutcomeMessage?
        var reply: Model.PredicateValues?
        var visits: [Model.Visit] = []
        /// The answer to each visit; `nil` if there was none.
        var verdicts: [VerdictCode?] = []
        var recipients: [Place] = []
        /// Visits that ended without an answer.
        var mishaps: [(visit: Model.Visit, answer: Model.Answer)] = []
        /// Answers that will arrive too late.
        var late: [(peer: PeerID, verdict: Header)] = []
        /// The session that must not be lost, because it waits for the outcome.
        var raiser: PeerID?
        /// Messages that should not have been sent.
        var surprises: [String] = []
    }

    var generator: SeededGenerator
    let behaviour: RandomBehaviour
    var model = ReferenceModel()
    var sessions: [Session] = []
    var result = Result()

    private var broker: Broker
    private var now = Instant(nanoseconds: 1)
    private var lastPeer = PeerID(index: 0, generation: 1)
    private var lastSession: UInt64 = 0
    private var lastRequest: UInt64 = 0

    /// The broker's numbers of nodes and names.
    var names: [UInt32: Model.Name] = [:]
    var numbersOfNames: [Model.Name: UInt32] = [:]
    var places: [UInt32: Place] = [:]
    var numbers: [Place: UInt32] = [:]
    /// The number of the session of the bus's own errors.
    var busSession: UInt32?

    var payloads = PayloadWatch()
    private var effects: [Effect] = []
    /// The inputs waiting for the broker.
    var inputs: [Input] = []

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        behaviour = RandomBehaviour(seed: seed)
        broker = Broker(
            configuration: BrokerConfiguration(bus: "model", release: "1", processID: 1), at: now)
        for _ in 0..<(1 + generator.below(5)) {
            connect()
        }
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

    mutating func attach(_ place: Place, _ node: Model.Node, by session: Int) {
        lastRequest += 1
        let declaration = Self.declaration(place, node)
        say(Attach(request: lastRequest, nodes: [declaration]), from: session)
        sessions[session].places.append(place)
        model.attach(place, node)
    }

    mutating func change(_ place: Place, _ node: Model.Node, by session: Int) {
        lastRequest += 1
        let declaration = Self.declaration(place, node)
        say(
            Change(request: lastRequest, node: numbers[place] ?? 0, declaration: declaration),
            from: session)
        model.change(place, node)
    }

    mutating func activate(_ place: Place, _ isActive: Bool) {
        lastRequest += 1
        let message = Activate(
            request: lastRequest, path: Vocabulary.path(place), isActive: isActive)
        say(message, from: 0)
        model.activate(place, isActive)
    }

    mutating func leave(_ place: Place, by session: Int) {
        lastRequest += 1
        say(Leave(request: lastRequest, node: numbers[place] ?? 0), from: session)
        sessions[session].places.removeAll { $0 == place }
        forget(place)
    }

    mutating func forget(_ place: Place) {
        model.remove([place])
        if let number = numbers.removeValue(forKey: place) {
            places[number] = nil
        }
    }

    private static func declaration(_ place: Place, _ node: Model.Node) -> NodeDeclaration {
        NodeDeclaration(
            path: Vocabulary.path(place),
            responders: node.responders.map { responder in
                ResponderDeclaration(
                    responder.kind, responder.name.map { Vocabulary.name($0) },
                    when: responder.condition?.rawValue)
            },
            subscriptions: node.subscriptions.map { Vocabulary.name($0) }.sorted {
                $0.description < $1.description
            },
            isActive: node.isActive)
    }

    private mutating func say(_ message: some WireMessage, from session: Int) {
        handle(.received(sessions[session].peer, OwnedPayload(message.encoded())))
    }

    // MARK: - Events

    /// Raises an event or publication, at a node of the session or from outside, and lets all
    /// sessions answer until it has ended.
    mutating func raise(
        _ header: Header, _ message: Model.Message, at place: Place, by session: Int,
        isOutside: Bool
    ) -> Result {
        result = Result()
        result.raiser = sessions[session].peer
        sessions[session].sequence += 1
        var header = header
        header.sequence = sessions[session].sequence
        var raised = RaisedFields()
        if let number = numbersOfNames[message.name], generator.isLucky(80) {
            header.name = number
        } else {
            raised.name = Vocabulary.name(message.name)
        }
        if isOutside {
            raised.origin = Vocabulary.path(place)
        } else {
            header.node = numbers[place] ?? 0
        }
        if raised.name != nil || isOutside {
            header.flags.insert(.addressedInFields)
        }
        now.nanoseconds += 1000
        handle(input(header, raised, facts: message.facts, from: sessions[session].peer))
        while result.ended == nil, result.late.count > 0, let deadline = broker.nextDeadline {
            now = deadline
            handle(.deadline)
        }
        for (peer, verdict) in result.late where sessions.contains(where: { $0.peer == peer }) {
            handle(.received(peer, OwnedPayload(verdict.encoded())))
        }
        if payloads.count > 0, let raiser = result.raiser {
            // The requester has its reply, which the broker holds until then.
            let got = Header(.beat, sequence: .max)
            handle(.received(raiser, OwnedPayload(got.encoded())))
        }
        if payloads.count > 0 {
            result.surprises.append("\(payloads.count) messages are kept after the end")
        }
        return result
    }

    /// A message with these facts in its payload.
    mutating func input(
        _ header: Header, _ raised: RaisedFields, failure: Failure? = nil,
        facts: Model.PredicateValues?,
        from peer: PeerID
    ) -> Input {
        var raised = raised
        if facts?.contains(.attribute) == true {
            raised.attributes = [Vocabulary.attribute]
        }
        var fields = FieldWriter()
        failure?.write(to: &fields)
        raised.write(to: &fields)
        var header = header
        header.fieldsLength = UInt32(fields.bytes.count)
        let payload = OwnedPayload(
            header.encoded() + fields.bytes + Vocabulary.payload(facts ?? []))
        payloads.insert(payload)
        if header.command == .verdict {
            payloads.observeAnswer(to: header.id)
        }
        return .received(peer, payload)
    }

    /// Hands the broker an input, and then all answers to its effects.
    private mutating func handle(_ input: Input) {
        inputs.append(input)
        while !inputs.isEmpty {
            feed(inputs.removeFirst())
        }
    }

    private mutating func feed(_ input: Input) {
        broker.handle(input, at: now, into: &effects)
        for index in effects.indices {
            perform(effects[index])
        }
        effects.removeAll(keepingCapacity: true)
    }
}
