// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
import CascadeBroker
import CascadeWire
import Logging
import ZeroMQ

/// The shell around the broker: it turns messages, time and the ends of processes into inputs, and
/// does what the broker wants done. Belongs to one thread.
struct BrokerShell: ~Copyable {
    let socket: Socket
    var broker: Broker
    /// Who wants to know how the daemon does; `nil` for nobody.
    var report: ServiceReport?
    /// Where the next daemon finds what this one leaves; `nil` for nowhere.
    let handover: HandoverKeeper?
    var routes = RoutingTable()
    var store = MessageStore()
    var outbox = Outbox()
    /// Where the messages are that the broker made itself.
    var composed: [PayloadID: UInt32] = [:]
    /// What the broker is to be told about payloads.
    var examined: [Input] = []
    /// Who came with a key.
    var admitted: [PeerID: AdmittedKey] = [:]
    /// Whom the guard is to know as somebody who speaks.
    private let heard: HeardConnections
    /// Where durable events are kept, if anywhere.
    let journal: JournalThread?
    /// What goes to the journal at the end of the turn.
    var unsubmitted: [JournalEntry] = []
    private var expulsions = Expulsions()
    var processes: ProcessWatch
    var log: BrokerLog
    /// When the process began, since the beginning of 1970.
    let startMicroseconds = ProcessFacts.startMicroseconds()

    private var identity = Message()
    private var body = Message()
    /// Empty between inputs; its storage is used again.
    private var effects: [Effect] = []
    var now = Instant(nanoseconds: 0)

    /// Peers whose processes have ended. What they had written is still being read.
    private var ending: [(peer: PeerID, until: Instant)] = []
    /// Peers who want the places of those.
    var latecomers: [Latecomer] = []
    /// Peers whose connections have ended, or that do not read.
    var unreachable: [PeerID] = []
    /// Those of them that do not read. Their connections go on until they are closed: a process
    /// that reads again later finds out that it has been given up, and comes back.
    var unread: Set<PeerID> = []

    /// The most bytes that may wait for one peer to take them.
    var unreadByteCountMax: Int {
        broker.unreadByteCountMax
    }

    // A look at the processes is a system call: a turn that brings messages goes without one.
    private var receivedCount = 0
    private var hasReceived = false
    private var turnCount = 0
    private static let turnsBetweenLooks = 64

    /// Messages taken in one turn before other work gets its chance.
    private static let batch = 64
    /// How soon a peer that took nothing more is tried again: libzmq does not say when it does.
    private static let retryMilliseconds: UInt32 = 2
    /// How long a dead process's connection may stay open, in the hands of a child, say.
    private static let lingerMilliseconds: UInt32 = 50

    init(
        socket: consuming Socket, broker: Broker, heard: HeardConnections,
        journal: JournalThread? = nil, logger: Logger, report: ServiceReport? = nil,
        handover: HandoverKeeper? = nil
    ) throws(ZeroMQError) {
        self.socket = socket
        self.journal = journal
        self.broker = broker
        self.heard = heard
        self.report = report
        self.handover = handover
        processes = try ProcessWatch()
        log = BrokerLog(logger)
        if !ProcessWatch.isPossible {
            log.cannotWatchAny()
        }
    }

    // MARK: - Receiving

    /// Takes what is there, within bounds. Returns whether there may be more.
    private mutating func receiveBatch() throws(ZeroMQError) -> Bool {
        receivedCount = 0
        while receivedCount < Self.batch {
            guard try socket.receive(into: &identity) else {
                return false
            }
            let id = RoutingID(identity.bytes)
            var peer: PeerID?
            var hasMore = identity.hasMore
            while hasMore, try socket.receive(into: &body) {
                hasMore = body.hasMore
                receivedCount += 1
                // The credentials come with the body; a peer expelled midway is heard no further.
                peer = peer ?? id.map { self.peer(of: $0) }
                if let peer, routes.id(of: peer) != nil, !keepsForLater(body.bytes, from: peer) {
                    received(from: peer)
                }
            }
        }
        return true
    }

    private mutating func peer(of id: RoutingID) -> PeerID {
        if let peer = routes.peer(of: id) {
            return peer
        }
        let descriptor = body.sourceFileDescriptor
        let connection = descriptor.flatMap { ConnectionID(descriptor: $0) }
        let peer = routes.insert(id, connection: connection)
        if let connection {
            heard.add(connection)
        }
        let userID = body.property("User-Id")
        let credentials = Credentials(
            peerAddress: body.property("Peer-Address"), userID: userID, descriptor: descriptor)
        admitted[peer] = userID.flatMap { AdmittedKey(userID: $0) }
        log.connected(credentials)
        handle(.connected(peer, credentials))
        let isWatched = processes.watch(
            peer, processID: credentials.processID, connection: descriptor)
        if !isWatched {
            handle(.unwatched(peer))
        }
        return peer
    }

    private mutating func received(from peer: PeerID) {
        do throws(WireError) {
            let header = try Header(parsing: body.bytes)
            guard body.byteCount <= broker.messageByteCountMax else {
                handle(.oversized(peer, header, byteCount: body.byteCount))
                return
            }
            if Query.isForMetrics(header) {
                noteProcessFacts()
            }
            let fields = fieldsToRead(header)
            let byteCount = UInt32(clamping: body.byteCount)
            let payload =
                header.travelsOn ? PayloadID(store.adopt(&body), byteCount: byteCount) : nil
            handle(.received(peer, header, fields: fields, payload: payload))
        } catch {
            handle(.malformed(peer, error))
        }
    }

    /// The fields are copied only where the broker has to look at them.
    private func fieldsToRead(_ header: Header) -> [UInt8] {
        guard header.fieldsLength > 0, header.isReadByBroker else {
            return []
        }
        let start = Header.byteCount
        return Array(body.bytes[start..<(start + Int(header.fieldsLength))])
    }

    // MARK: - Effects

    mutating func handle(_ input: Input) {
        var batch: [Effect] = []
        swap(&batch, &effects)
        broker.handle(input, at: now, into: &batch)
        for index in batch.indices {
            perform(batch[index])
        }
        batch.removeAll(keepingCapacity: true)
        swap(&batch, &effects)
        handleExamined()
    }

    /// What the broker wanted to know it is told before anything else.
    private mutating func handleExamined() {
        while !examined.isEmpty {
            let inputs = examined
            examined = []
            for input in inputs {
                handle(input)
            }
        }
    }

    private mutating func perform(_ effect: Effect) {
        switch effect {
        case .stamp(let payload, let header):
            header.write(into: store.bytes(slot(of: payload)))
        case .unshare(let payload):
            store.replaceWithCopy(slot(of: payload))
        case .compose(let payload, let fields, let bytes):
            bytes.withUnsafeBytes { compose(payload, fields, $0) }
        case .recompose(let payload, let fields, let source):
            recompose(payload, fields, source)
        case .examine(let payload, let examination):
            examine(payload, for: examination)
        case .forward(let payload, let peer, let itinerary, let isLast):
            forward(payload, to: peer, itinerary, isLast: isLast)
        case .send(let header, let peer):
            send(header, to: peer)
        case .sendMessage(let bytes, let peer):
            send(bytes, to: peer)
        case .release(let payload):
            store.release(slot(of: payload))
            composed[payload] = nil
        case .disconnect(let peer):
            expel(peer)
        case .persist(let entry):
            unsubmitted.append(entry)
        case .log(let entry):
            note(entry)
            log.write(entry, at: now)
        }
    }

    /// The peer's session is over; its connection follows.
    private mutating func expel(_ peer: PeerID) {
        if let connection = routes.connection(of: peer) {
            expulsions.add(connection, at: now)
        }
        forget(peer)
    }

    private mutating func forget(_ peer: PeerID) {
        flush(peer)
        if let processID = processes.processID(of: peer) {
            log.forget(processID)
        }
        discard(peer)
        processes.forget(peer)
        admitted[peer] = nil
        routes.remove(peer)
    }

    // MARK: - The thread's turn

    var pollItems: [PollItem] {
        [.socket(socket), processes.pollItem] + (journal.map { [$0.pollItem] } ?? [])
    }

    mutating func turn() -> SocketThread.Rest {
        lookAtClock()
        turnCount += 1
        giveSign()
        if !hasReceived || turnCount % Self.turnsBetweenLooks == 0 {
            noteEndedProcesses()
        }
        expulsions.carryOut(at: now)
        log.summarize(at: now)
        takeFromJournal()
        if let deadline = broker.nextDeadline, deadline <= now {
            handle(.deadline)
        }
        flush()
        do throws(ZeroMQError) {
            let mayHaveMore = try receiveBatch()
            hasReceived = receivedCount > 0
            flush()
            if mayHaveMore {
                return .poll
            }
        } catch {
            log.failed(error, at: now)
            return .forever
        }
        bury()
        return rest
    }

    private var rest: SocketThread.Rest {
        var next = broker.nextDeadline
        if !ending.isEmpty {
            next = min(next ?? .max, now.advanced(byMilliseconds: 1))
        }
        for other in [expulsions.next, report?.next, handover?.next] {
            if let other {
                next = min(next ?? .max, other)
            }
        }
        if let summary = log.nextSummary {
            next = min(next ?? .max, summary)
        }
        if outbox.isBlocked {
            next = min(next ?? .max, now.advanced(byMilliseconds: Self.retryMilliseconds))
        }
        return next.map { .until($0.nanoseconds) } ?? .forever
    }

    /// A process has ended; its connection ends once everything it wrote has been read, and a send
    /// to it is how that shows.
    mutating func noteEndedProcesses() {
        for peer in processes.ended() {
            noteEnd(of: peer)
        }
        for (peer, until) in ending {
            if until <= now {
                unreachable.append(peer)
            } else {
                send(Header(.beat), to: peer)
            }
        }
    }

    mutating func noteEnd(of peer: PeerID) {
        ending.append((peer, now.advanced(byMilliseconds: Self.lingerMilliseconds)))
    }

    /// Peers whose processes have ended, and who are not buried yet.
    var endingPeers: [PeerID] {
        ending.map(\.peer)
    }

    /// Nothing is left to read, so whoever is unreachable has said all it had to say.
    private mutating func bury() {
        while let peer = unreachable.popLast() {
            guard routes.id(of: peer) != nil else {
                continue
            }
            ending.removeAll { $0.peer == peer }
            handle(.gone(peer))
            if unread.remove(peer) != nil {
                expel(peer)
            } else {
                forget(peer)
            }
            flush()
        }
        takeLatecomers()
    }
}

extension Instant {
    fileprivate static let max = Instant(nanoseconds: .max)
}
