// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import Logging
import ZeroMQ

/// The shell around the broker: it turns messages, time and exits of processes into inputs, and
/// performs the broker's effects. Confined to one thread.
struct BrokerShell: ~Copyable {
    let socket: Socket
    var broker: Broker
    /// Status notifications to the service manager; `nil` without one.
    var report: ServiceReport?
    /// Where the handover for the next daemon is stored; `nil` without a descriptor store.
    let handover: HandoverKeeper?
    var routes = RoutingTable()
    var store = MessageStore()
    var outbox = Outbox()
    /// Keys of authenticated peers.
    var admitted: [PeerID: AdmittedKey] = [:]
    /// Connections that have sent at least one message, for the connection guard.
    let activity: ConnectionActivity
    let assignedIDs: AssignedRoutingIDs
    /// The journal of durable events; `nil` without one.
    let journal: JournalThread?
    /// Entries for the journal, submitted at the end of the turn.
    var unsubmitted: [JournalEntry] = []
    var expelled = ExpelledConnections()
    var silenced = SilencedConnections()
    var processes: ProcessWatch
    var log: BrokerLog
    /// When the process started, in microseconds since 1970.
    let startMicroseconds = ProcessFacts.startMicroseconds()

    var identity = Message()
    /// The buffer of the next frame, replaced whenever the broker keeps it.
    var body = MessagePayload()
    var incoming: Incoming?
    /// Messages that are processed in a later turn.
    var backlog = Backlog()
    var processingTime = ProcessingTime()
    /// How long requests have taken in this turn.
    var requestNanoseconds: UInt64 = 0
    /// Empty between inputs; kept for its storage.
    private var effects: [Effect] = []
    var now = Instant(nanoseconds: 0)

    /// Peers whose processes have exited, while their last messages are being read.
    var exited: [(peer: PeerID, until: Instant)] = []
    /// Peers whose messages the broker does not want now; they are in the backlog.
    var postponed: Set<PeerID> = []
    private var hasResumed = false
    /// Peers whose connections have ended, and when they are removed at the latest.
    private var unreachable: [(peer: PeerID, until: Instant)] = []
    /// Peers whose processes exited more than ``lingerMilliseconds`` ago, and whose connections are
    /// still open.
    private var overdue: [PeerID] = []
    /// Peers whose sessions end with this turn because too many bytes wait for them.
    var givenUp: [PeerID] = []

    var heapTrim = HeapTrim()

    // Looking for exited processes is a system call; turns that receive messages mostly skip it.
    var receivedCount = 0
    private var hasReceived = false
    private var turnCount = 0
    private static let turnsBetweenLooks = 64

    /// How soon sends to a full queue and waiting requests are tried again. libzmq does not always
    /// signal that a queue has room again.
    private static let retryMilliseconds: UInt32 = 2
    /// How long the connection of an exited process may stay open, because a child holds it, for
    /// example.
    private static let lingerMilliseconds: UInt32 = 50
    /// How long the ends of sessions may take in one turn.
    private static let reapingNanoseconds: UInt64 = 2_000_000
    /// How long messages of an ended connection are received while other peers keep sending.
    private static let drainMilliseconds: UInt32 = 1_000

    init(
        socket: consuming Socket, broker: consuming Broker, activity: ConnectionActivity,
        assignedIDs: AssignedRoutingIDs, journal: JournalThread? = nil, logger: Logger,
        report: ServiceReport? = nil,
        handover: HandoverKeeper? = nil
    ) throws(ZeroMQError) {
        self.socket = socket
        self.journal = journal
        self.broker = broker
        self.activity = activity
        self.assignedIDs = assignedIDs
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

    /// Hands a payload to the broker, like ``handle(_:)``, without an ``Input``: the frequent case.
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
        case .postpone(let peer):
            postponed.insert(peer)
        case .resume(let peer):
            hasResumed = postponed.remove(peer) != nil || hasResumed
        case .persist(let entry):
            unsubmitted.append(entry)
        case .log(let entry):
            updateStatus(after: entry)
            log.write(entry, at: now)
        }
    }

    /// Removes a peer whose session has ended, and closes its connection.
    mutating func expel(_ peer: PeerID) {
        if let id = routes.id(of: peer) {
            silenced.recordEnd(of: id, at: now)
        }
        if let connection = routes.connection(of: peer) {
            _ = expelled.add(connection, at: now)
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
        postponed.remove(peer)
        processes.forget(peer)
        admitted[peer] = nil
        routes.remove(peer)
    }

    // MARK: - The thread's turn

    var pollItems: [PollItem] {
        [.socket(socket), processes.pollItem] + (journal.map { [$0.pollItem] } ?? [])
    }

    mutating func turn() -> SocketThread.Rest {
        readClock()
        turnCount += 1
        requestNanoseconds = 0
        processingTime.forgetPast(now.nanoseconds)
        notifyServiceManager()
        if !hasReceived || turnCount % Self.turnsBetweenLooks == 0 {
            detectExits()
        }
        expelled.shutDownDue(at: now)
        log.summarize(at: now)
        takeFromJournal()
        if let deadline = broker.nextDeadline, deadline <= now {
            handle(.deadline)
        }
        flushBlocked()
        flush()
        do throws(ZeroMQError) {
            // Messages of the backlog are older than those of the socket.
            let hasBacklog = processBacklog()
            let mayHaveMore = try receiveBatch()
            hasReceived = receivedCount > 0
            heapTrim.record(
                messages: receivedCount, waitingByteCount: outbox.waiting.total.byteCount, at: now)
            flush()
            endGivenUp()
            let hasReleased = reapUnreachable(isIdle: !mayHaveMore)
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
        if !exited.isEmpty {
            next = min(next ?? .max, now.advanced(byMilliseconds: 1))
        }
        for other in [expelled.next, report?.next, handover?.next, heapTrim.deadline] {
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

    /// Looks for exited processes. A connection ends when everything that its process wrote has
    /// been read; a send to the peer reveals that.
    mutating func detectExits() {
        for peer in processes.ended() {
            markExited(peer)
        }
        for (peer, until) in exited {
            if until <= now {
                if !overdue.contains(peer) {
                    overdue.append(peer)
                }
            } else {
                send(Header(.beat), to: peer)
            }
        }
    }

    private mutating func markExited(_ peer: PeerID) {
        exited.append((peer, now.advanced(byMilliseconds: Self.lingerMilliseconds)))
        handle(.exited(peer))
    }

    /// Looks for exits before a session attaches: a process whose places it asks for may have exited
    /// in the same turn, after the daemon was stopped or busy for a while.
    mutating func detectExitsBeforeAttach() {
        detectExits()
        for peer in processes.endedUnwatched() where !exited.contains(where: { $0.peer == peer }) {
            markExited(peer)
        }
    }

    /// Reaps the unreachable peers once the receive queue is empty, so that no message of an exited
    /// process is lost. While other peers never stop sending, a peer is reaped after
    /// ``drainMilliseconds``: libzmq delivers a message of each connection in turn. A peer with
    /// messages in the backlog waits for them. Returns whether messages of other peers can be
    /// processed now.
    private mutating func reapUnreachable(isIdle: Bool) -> Bool {
        if isIdle {
            unreachable += overdue.map { ($0, now) }
            overdue = []
        }
        var waiting: [(peer: PeerID, until: Instant)] = []
        var hasUnfinished = false
        let end = MonotonicClock.now() + Self.reapingNanoseconds
        while let (peer, until) = unreachable.popLast() {
            // The end of a session takes time for all that it has under way.
            guard MonotonicClock.now() < end else {
                waiting.append((peer, until))
                hasUnfinished = true
                break
            }
            guard routes.id(of: peer) != nil, !waiting.contains(where: { $0.peer == peer }) else {
                continue
            }
            guard isIdle || until <= now, !backlog.holds(peer) else {
                hasUnfinished = hasUnfinished || backlog.holds(peer)
                waiting.append((peer, until))
                continue
            }
            exited.removeAll { $0.peer == peer }
            handle(.gone(peer))
            forget(peer)
            flush()
        }
        unreachable += waiting
        defer { hasResumed = false }
        return hasResumed || hasUnfinished
    }

    /// Records that a peer's connection has ended.
    mutating func markUnreachable(_ peer: PeerID) {
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
