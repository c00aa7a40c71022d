// SPDX-License-Identifier: Apache-2.0

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
    /// Who came with a key.
    var admitted: [PeerID: AdmittedKey] = [:]
    /// The connections that have sent a message, for the guard.
    let heard: HeardConnections
    let givenIDs: GivenRoutingIDs
    /// Where durable events are kept, if anywhere.
    let journal: JournalThread?
    /// What goes to the journal at the end of the turn.
    var unsubmitted: [JournalEntry] = []
    var expulsions = Expulsions()
    var silenced = SilencedConnections()
    var processes: ProcessWatch
    var log: BrokerLog
    /// When the process began, since the beginning of 1970.
    let startMicroseconds = ProcessFacts.startMicroseconds()

    var identity = Message()
    /// Where the next frame is received: another one each time that the broker keeps it.
    var body = MessagePayload()
    var incoming: Incoming?
    /// What was received and is processed in a later turn.
    var backlog = Backlog()
    /// How long requests have taken in this turn.
    var requestNanoseconds: UInt64 = 0
    /// Empty between inputs; its storage is used again.
    private var effects: [Effect] = []
    var now = Instant(nanoseconds: 0)

    /// Peers whose processes have ended. What they had written is still being read.
    var ending: [(peer: PeerID, until: Instant)] = []
    /// Peers who want the places of those.
    var latecomers: [Latecomer] = []
    /// Peers whose connections have ended, and when they are removed at the latest.
    private var unreachable: [(peer: PeerID, until: Instant)] = []
    /// Peers whose processes ended a while ago, and whose connections have not.
    private var overdue: [PeerID] = []
    /// Peers whose sessions end with this turn because too much waits for them.
    var givenUp: [PeerID] = []

    var heapTrim = HeapTrim()

    // A look at the processes is a system call: a turn that brings messages goes without one.
    var receivedCount = 0
    private var hasReceived = false
    private var turnCount = 0
    private static let turnsBetweenLooks = 64

    /// How soon a peer that took nothing more, or has requests that wait, is tried again: libzmq
    /// does not always say when it takes more.
    private static let retryMilliseconds: UInt32 = 2
    /// How long a dead process's connection may stay open, in the hands of a child, say.
    private static let lingerMilliseconds: UInt32 = 50
    /// How long what an ended connection has brought is received, while others never stop sending.
    private static let drainMilliseconds: UInt32 = 1_000

    init(
        socket: consuming Socket, broker: Broker, heard: HeardConnections,
        givenIDs: GivenRoutingIDs, journal: JournalThread? = nil, logger: Logger,
        report: ServiceReport? = nil,
        handover: HandoverKeeper? = nil
    ) throws(ZeroMQError) {
        self.socket = socket
        self.journal = journal
        self.broker = broker
        self.heard = heard
        self.givenIDs = givenIDs
        self.report = report
        self.handover = handover
        processes = try ProcessWatch()
        log = BrokerLog(logger)
        if !ProcessWatch.isPossible {
            log.cannotWatchAny()
        }
    }

    // MARK: - Effects

    mutating func handle(_ input: Input) {
        var batch: [Effect] = []
        swap(&batch, &effects)
        broker.handle(input, at: now, into: &batch)
        perform(&batch)
    }

    /// As ``handle(_:)`` for what comes by the thousand.
    mutating func receive(_ payload: Payload, from peer: PeerID) {
        var batch: [Effect] = []
        swap(&batch, &effects)
        broker.receive(payload, from: peer, at: now, into: &batch)
        perform(&batch)
    }

    private mutating func perform(_ batch: inout [Effect]) {
        for index in batch.indices {
            perform(batch[index])
        }
        batch.removeAll(keepingCapacity: true)
        swap(&batch, &effects)
    }

    private mutating func perform(_ effect: Effect) {
        switch effect {
        case .send(let header, let peer):
            send(header, to: peer)
        case .sendMessage(let bytes, let peer):
            send(bytes, to: peer)
        case .forward(let forward):
            send(forward)
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
    mutating func expel(_ peer: PeerID) {
        if let id = routes.id(of: peer) {
            silenced.noteEnd(of: id, at: now)
        }
        if let connection = routes.connection(of: peer) {
            _ = expulsions.add(connection, at: now)
        }
        forget(peer)
    }

    private mutating func forget(_ peer: PeerID) {
        flush(peer)
        if let processID = processes.processID(of: peer) {
            log.forget(processID)
        }
        discard(peer)
        dropBacklog(of: peer)
        outbox.waiting.remove(peer)
        latecomers.removeAll { $0.peer == peer }
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
        requestNanoseconds = 0
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
        flushBlocked()
        flush()
        do throws(ZeroMQError) {
            // What has waited for longer comes first.
            let hasBacklog = processBacklog()
            let mayHaveMore = try receiveBatch()
            hasReceived = receivedCount > 0
            heapTrim.note(
                messages: receivedCount, waitingByteCount: outbox.waiting.total.byteCount, at: now)
            flush()
            endGivenUp()
            let hasReleased = bury(isIdle: !mayHaveMore)
            if mayHaveMore || hasBacklog || hasReleased {
                return .poll
            }
        } catch {
            log.failed(error, at: now)
            return .forever
        }
        trimMemory()
        return rest
    }

    private var rest: SocketThread.Rest {
        var next = broker.nextDeadline
        if !ending.isEmpty {
            next = min(next ?? .max, now.advanced(byMilliseconds: 1))
        }
        for other in [expulsions.next, report?.next, handover?.next, heapTrim.deadline] {
            if let other {
                next = min(next ?? .max, other)
            }
        }
        if let summary = log.nextSummary {
            next = min(next ?? .max, summary)
        }
        if outbox.isBlocked || !backlog.isEmpty {
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
                if !overdue.contains(peer) {
                    overdue.append(peer)
                }
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

    /// Removes the peers that are unreachable: when nothing is left to receive, they have said all
    /// they had to say. While others never stop sending, that is true after a second as well, for
    /// libzmq hands over a message of each connection in turn. What they said may still be in the
    /// backlog. Returns whether others can go on behind that.
    private mutating func bury(isIdle: Bool) -> Bool {
        if isIdle {
            unreachable += overdue.map { ($0, now) }
            overdue = []
        }
        guard !unreachable.isEmpty || !latecomers.isEmpty else {
            return false
        }
        var waiting: [(peer: PeerID, until: Instant)] = []
        var hasUnfinished = false
        while let (peer, until) = unreachable.popLast() {
            guard routes.id(of: peer) != nil, !waiting.contains(where: { $0.peer == peer }) else {
                continue
            }
            guard isIdle || until <= now, !backlog.holds(peer) else {
                hasUnfinished = hasUnfinished || backlog.holds(peer)
                waiting.append((peer, until))
                continue
            }
            ending.removeAll { $0.peer == peer }
            handle(.gone(peer))
            forget(peer)
            flush()
        }
        unreachable += waiting
        return releaseLatecomers() || hasUnfinished
    }

    /// Notes that a peer's connection has ended.
    mutating func noteUnreachable(_ peer: PeerID) {
        if !isUnreachable(peer) {
            unreachable.append((peer, now.advanced(byMilliseconds: Self.drainMilliseconds)))
        }
    }

    func isUnreachable(_ peer: PeerID) -> Bool {
        unreachable.contains { $0.peer == peer }
    }
}

extension Instant {
    fileprivate static let max = Instant(nanoseconds: .max)
}
