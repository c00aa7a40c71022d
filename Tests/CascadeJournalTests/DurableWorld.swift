// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJournal
import CascadeSession
import CascadeSimulator
import CascadeTestSupport
import CascadeWire

@testable import CascadeDaemon

/// The real broker on a real journal on a disk that can lose unsynced writes, with real sessions of
/// an origin, a handler and optionally a second origin; each of them may end at any moment.
struct DurableWorld: ~Copyable {
    final class Party {
        var session: Session
        var peer = PeerID(index: .max, generation: 0)
        var invocations: [InvocationToken] = []

        init(_ session: consuming Session) {
            self.session = session
        }
    }

    var generator: SeededGenerator
    private var journal: Journal<SimulatedFolder>
    private var broker: Broker
    private var now = Instant(nanoseconds: 1_000_000_000)

    private var payloads = PayloadWatch()
    private var submitted: [JournalEntry] = []
    private var toDaemon: [Input] = []
    private var toParties: [(peer: PeerID, message: [UInt8])] = []
    private var lastPeer: UInt32 = 0

    /// The origin, the handler, and the second origin.
    private(set) var parties: [Party] = []
    private(set) var triggered: Set<EventID> = []
    private(set) var accepted: Set<EventID> = []
    private(set) var refused: Set<EventID> = []
    private(set) var outcomes: [EventID: OutcomeCode] = [:]
    private(set) var problems: [String] = []
    /// The events in the order in which they reached the handler.
    private(set) var arrivals: [EventID] = []

    init(seed: UInt64, hasSecondOrigin: Bool = false) throws {
        generator = SeededGenerator(seed: seed)
        journal = Journal(disk: SimulatedFolder()) { seed }
        broker = Broker(configuration: Self.configuration, at: now)
        try startDaemon(on: SimulatedFolder())
        try begin(0)
        try begin(1)
        if hasSecondOrigin {
            try begin(2)
        }
    }

    private static var configuration: BrokerConfiguration {
        var configuration = BrokerConfiguration(bus: "test", release: "1", processID: 1)
        configuration.keepsDurable = true
        configuration.reattachMilliseconds = 200
        configuration.graceMilliseconds = 100
        // Handlers end at random here, which must not quarantine an event.
        configuration.limits.crashesPerEvent = .max
        return configuration
    }

    // MARK: - Steps

    /// Performs a random step, which may be a fault.
    mutating func step() throws {
        now = now.advanced(byMilliseconds: UInt32(generator.below(20)))
        switch generator.below(100) {
        case ..<30: trigger(by: 0, flags: .durable)
        case ..<55: finish(1, all: false)
        case ..<80: write()
        case ..<84: try endDaemon()
        case ..<87: try restart(0)
        case ..<90: try restart(1)
        case ..<93: reconnect(generator.below(2))
        case ..<95: journal.disk.disk.failingSync = 1 + generator.below(3)
        case ..<97: journal.disk.disk.capacity = journal.disk.disk.usedByteCount + 300
        default: journal.disk.disk.capacity = .max
        }
        settle()
    }

    /// Performs a random step without a fault: an origin triggers an event, durable or
    /// not, the handler handles one, or the journal writes some of its pending entries.
    mutating func stepWithoutFault(plainPercent: Int) {
        switch generator.below(100) {
        case ..<50:
            let flags: HeaderFlags =
                generator.isLucky(plainPercent)
                ? (generator.isLucky(30) ? .unacknowledged : []) : .durable
            trigger(by: generator.isLucky(50) ? 0 : 2, flags: flags)
        case ..<75: finish(1, all: false)
        default: write(generator.below(6))
        }
        settle()
    }

    /// The journal writes everything, and the handler handles everything.
    mutating func workOff() {
        while !submitted.isEmpty || !parties[1].invocations.isEmpty {
            write()
            finish(1, all: true)
            settle()
        }
    }

    /// Ends all faults and lets the handler and the journal finish their work.
    mutating func heal() throws {
        journal.disk.disk.capacity = .max
        journal.disk.disk.failingSync = 0
        try restart(1)
        for _ in 0..<200 {
            now = now.advanced(byMilliseconds: 100)
            finish(1, all: true)
            settle()
            write()
            settle()
        }
    }

    /// The number of events still in the journal. Outcomes do not count: one may remain if there
    /// was no room to record its receipt, and is removed when it is received again.
    func leftEvents() throws -> Int {
        var journal = Journal(disk: journal.disk) { 1 }
        return try journal.open().records
            .count { (try? Header(parsing: $0))?.command == .trigger }
    }

    private mutating func trigger(by place: Int, flags: HeaderFlags) {
        guard parties[place].session.canRaise else {
            return
        }
        var effects: [SessionEffect] = []
        let options = RaiseOptions(.up, from: .node(Self.path(of: place)), flags: flags)
        let raising = Raising(name: Self.name, payload: Array(#"{"a":1}"#.utf8))
        if let sequence = try? parties[place].session.raise(raising, options, into: &effects) {
            triggered.insert(id(sequence, of: place))
        }
        perform(effects, of: place)
    }

    private mutating func finish(_ place: Int, all: Bool) {
        while let token = parties[place].invocations.popLast() {
            var effects: [SessionEffect] = []
            parties[place].session.finished(token, .handled, microseconds: 1, into: &effects)
            perform(effects, of: place)
            if !all {
                return
            }
        }
    }

    /// Writes the first `count` pending entries to the journal.
    private mutating func write(_ count: Int = .max) {
        let written = Array(submitted.prefix(count))
        submitted.removeFirst(written.count)
        for answer in journal.write(written) {
            handle(answer)
        }
    }

    // MARK: - Restarts

    private mutating func endDaemon() throws {
        var folder = journal.disk
        folder.disk.losePower(using: &generator)
        folder.disk.failingSync = 0
        submitted = []
        toDaemon = []
        toParties = []
        payloads = PayloadWatch()
        try startDaemon(on: folder)
        for place in parties.indices {
            connect(place)
        }
    }

    private mutating func startDaemon(on folder: SimulatedFolder) throws {
        var salts = SeededGenerator(seed: generator.next())
        journal = Journal(disk: folder) { salts.next() }
        let report = try journal.open()
        broker = Broker(configuration: Self.configuration, at: now)
        handle(.journalDisk(byteCount: UInt64(report.diskByteCount)))
        handle(.recovered(report.records, fault: report.fault))
    }

    /// Ends the process and starts another one in its place.
    private mutating func restart(_ place: Int) throws {
        let peer = parties[place].peer
        toParties.removeAll { $0.peer == peer }
        handle(.gone(peer))
        settle()
        try begin(place)
    }

    /// Breaks the connection, which loses the messages in transit.
    private mutating func reconnect(_ place: Int) {
        let peer = parties[place].peer
        toParties.removeAll { $0.peer == peer }
        handle(.gone(peer))
        settle()
        connect(place)
    }

    private static let name = EventName("Order")

    private static func path(of place: Int) -> NodePath {
        switch place {
        case 0: NodePath("/kitchen/oven")
        case 1: NodePath("/kitchen")
        default: NodePath("/kitchen/stove")
        }
    }

    private mutating func begin(_ place: Int) throws {
        // Both kinds of sessions must find their events again.
        let processID = UInt32(place + 2)
        var session =
            generator.below(2) == 0
            ? Session(id: SessionID(using: &generator), program: "test", processID: processID)
            : Session(
                secret: SessionSecret(using: &generator), program: "test", processID: processID)
        var declaration = NodeDeclaration(
            path: Self.path(of: place),
            responders: place == 1 ? [ResponderDeclaration(.handle, Self.name)] : [],
            concurrency: 1, prefetch: 1)
        declaration.wantsOutcomes = place != 1
        declaration.takesOver = true
        var effects: [SessionEffect] = []
        session.attach([declaration], names: [Self.name], request: 1, into: &effects)
        let party = Party(session)
        if place < parties.count {
            parties[place] = party
        } else {
            parties.append(party)
        }
        connect(place)
        settle()
    }

    private mutating func connect(_ place: Int) {
        var effects: [SessionEffect] = []
        if parties[place].session.state != .disconnected {
            parties[place].session.disconnected(into: &effects)
        }
        parties[place].invocations = []
        lastPeer += 1
        parties[place].peer = PeerID(index: lastPeer, generation: 1)
        handle(
            .connected(
                parties[place].peer,
                Credentials(processID: UInt32(place + 2), userID: 7, groupID: 7)))
        parties[place].session.connected(into: &effects)
        perform(effects, of: place)
    }

    // MARK: - Messages

    /// Delivers all messages in transit.
    private mutating func settle() {
        while let deadline = broker.nextDeadline, deadline <= now {
            handle(.deadline)
        }
        while !toDaemon.isEmpty || !toParties.isEmpty {
            let inputs = toDaemon
            toDaemon = []
            for input in inputs {
                handle(input)
            }
            let messages = toParties
            toParties = []
            for (peer, message) in messages {
                deliver(message, to: peer)
            }
        }
    }

    private mutating func deliver(_ message: [UInt8], to peer: PeerID) {
        guard let place = parties.firstIndex(where: { $0.peer == peer }) else {
            return
        }
        var effects: [SessionEffect] = []
        do throws(WireError) {
            let header = try Header(parsing: message)
            try parties[place].session.received(header, message.span.bytes, into: &effects)
        } catch {
            problems.append("the daemon sent a malformed message: \(error)")
        }
        perform(effects, of: place)
    }

    private mutating func perform(_ effects: [SessionEffect], of place: Int) {
        for effect in effects {
            perform(effect, of: place)
        }
    }

    private mutating func perform(_ effect: SessionEffect, of place: Int) {
        switch effect {
        case .send(let header): say(header, [], [], by: place)
        case .sendMessage(let message):
            if let header = try? Header(parsing: message) {
                let end = Header.byteCount + Int(header.fieldsLength)
                say(header, Array(message[Header.byteCount..<end]), [], by: place)
            }
        case .sendRaised(let header, let fields, let payload):
            say(header, fields, payload, by: place)
        case .invoke(let invocation):
            parties[place].invocations.append(invocation.token)
            if let visit = try? parties[place].session.visit(invocation.token) {
                arrivals.append(visit.id)
            }
        case .accepted(let sequence): accepted.insert(id(sequence, of: place))
        case .raiseRefused(let sequence, _): refused.insert(id(sequence, of: place))
        case .settled(let settled): ended(id(settled.ended.sequence, of: place), settled)
        case .settledBefore(let settled):
            if let id = settled.id {
                ended(id, settled)
                var effects: [SessionEffect] = []
                parties[place].session.confirm(id, into: &effects)
                perform(effects, of: place)
            }
        case .beat(let beat):
            var effects: [SessionEffect] = []
            parties[place].session.beatAnswered(beat, into: &effects)
            perform(effects, of: place)
        case .violated(let violation): problems.append(violation.sentence)
        case .refused(_, let refused): problems.append(refused.sentence)
        default: break
        }
    }

    private func id(_ sequence: UInt64, of place: Int) -> EventID {
        EventID(session: parties[place].session.id, sequence: sequence)
    }

    private mutating func ended(_ id: EventID, _ settled: Settled) {
        if let before = outcomes[id], before != settled.ended.code {
            problems.append("\(id) ended \(before), and then \(settled.ended.code)")
        }
        outcomes[id] = settled.ended.code
    }

    private mutating func say(
        _ header: Header, _ fields: [UInt8], _ payload: [UInt8], by place: Int
    ) {
        let message = OwnedPayload(header.encoded() + fields + payload)
        payloads.insert(message)
        if header.command == .verdict {
            payloads.observeAnswer(to: header.id)
        }
        toDaemon.append(.received(parties[place].peer, message))
    }

    // MARK: - The daemon

    private mutating func handle(_ input: Input) {
        var effects: [Effect] = []
        broker.handle(input, at: now, into: &effects)
        perform(effects)
    }
}

extension DurableWorld: BrokerHost {
    mutating func send(_ message: [UInt8], to peer: PeerID) {
        toParties.append((peer, message))
    }

    mutating func forward(_ sent: Forward) {
        toParties += sent.messages.map { (sent.peer, $0) }
        if let fault = payloads.send(sent) {
            problems.append(fault)
        }
    }

    mutating func disconnect(_ peer: PeerID) {}

    mutating func persist(_ entry: JournalEntry) {
        submitted.append(entry)
    }

    mutating func log(_ entry: LogEntry) {}
}
