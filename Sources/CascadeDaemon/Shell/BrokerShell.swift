// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import Logging
import ZeroMQ

/// The shell around the broker: it turns messages, time and exits of processes into inputs, and
/// performs the broker's effects. Confined to one thread.
struct BrokerShell: BrokerHost, ~Copyable {
    var broker: Broker
    var transports: PeerTransports
    var peers = PeerRegistry()
    /// Status notifications to the service manager; `nil` without one.
    var report: ServiceReport?
    /// The keepers of the state for the next daemon: in the descriptor store, and in the state directory.
    let handovers: [HandoverKeeper]
    /// The journal of durable events; `nil` without one.
    let journal: JournalThread?
    /// Entries for the journal, submitted at the end of the turn.
    var unsubmitted: [JournalEntry] = []
    var processes: ProcessWatch
    var log: BrokerLog
    /// When the process started, in microseconds since 1970.
    let startMicroseconds = ProcessFacts.startMicroseconds()

    /// The message being processed, replaced whenever the broker keeps it.
    var body = ReceivedPayload()
    /// Messages that are processed in a later turn.
    var backlog = Backlog()
    var processingTime = ProcessingTime()
    /// How long messages of bounded time have taken in this turn.
    var boundedNanoseconds: UInt64 = 0
    /// Empty between inputs; kept for its storage.
    private var effects: [Effect] = []
    var now = Instant(nanoseconds: 0)

    /// Peers whose processes have exited, and until when their connections may stay open.
    var exited: [PeerID: Instant] = [:]
    /// Peers whose connections have ended, and whose messages are yet to be processed.
    private var disconnected: [PeerID] = []
    /// Peers whose sessions end with this turn because too many bytes wait for them.
    var abandoned: [PeerID] = []

    var heapTrim = HeapTrim()
    /// Whether the event loop watches the thread's own descriptors.
    private var isWatched = false

    // Looking for exited processes is a system call; turns that receive messages mostly skip it.
    var receivedCount = 0
    private var hasReceived = false
    private var turnCount = 0
    private static let turnsBetweenLooks = 64

    /// How soon messages of the backlog are tried again.
    private static let retryMilliseconds: UInt32 = 2
    /// How long the connection of an exited process may stay open, because a child holds it, for
    /// example.
    private static let lingerMilliseconds: UInt32 = 50
    /// How long the ends of sessions may take in one turn.
    private static let reapingNanoseconds: UInt64 = 2_000_000

    init(
        transports: consuming PeerTransports, broker: consuming Broker,
        journal: JournalThread? = nil, logger: Logger, report: ServiceReport? = nil,
        handovers: [HandoverKeeper] = []
    ) throws(ZeroMQError) {
        self.transports = transports
        self.journal = journal
        self.broker = broker
        self.report = report
        self.handovers = handovers
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

    /// Performs the effects, and keeps their storage.
    private mutating func perform(_ batch: inout [Effect]) {
        perform(batch)
        batch.clear()
        swap(&batch, &effects)
    }

    mutating func forget(_ peer: PeerID) {
        log.forget(peer)
        backlog.removeAll(of: peer)
        processes.forget(peer)
        transports.remove(peer)
        peers.remove(peer)
    }

    // MARK: - The thread's turn

    var pollItems: [PollItem] {
        transports.pollItems + descriptors.map { .fileDescriptor($0) }
    }

    /// The descriptors that end a sleep, beside those of the peers.
    private var descriptors: [Int32] {
        [processes.descriptor] + (journal.map { [$0.descriptor] } ?? [])
    }

    /// Sleeps in the event loop of the local peers, unless there is another transport.
    mutating func sleep(milliseconds: Int, wakeup: Int32) -> SocketThread.Wake? {
        guard transports.hasEventLoop else {
            return nil
        }
        if !isWatched {
            isWatched = ([wakeup] + descriptors).enumerated().allSatisfy { token, descriptor in
                transports.watch(descriptor, token: UInt32(token))
            }
        }
        return isWatched ? transports.sleep(milliseconds: milliseconds, wakeup: 0) : nil
    }

    mutating func turn() -> SocketThread.Rest {
        readClock()
        turnCount += 1
        boundedNanoseconds = 0
        processingTime.forgetPast(now.nanoseconds)
        notifyServiceManager()
        if !hasReceived || turnCount % Self.turnsBetweenLooks == 0 {
            detectExits()
        }
        log.summarize(at: now)
        takeFromJournal()
        if let deadline = broker.nextDeadline, deadline <= now {
            handle(.deadline)
        }
        transports.beginTurn(at: now)
        do throws(ZeroMQError) {
            // Messages of the backlog are older than those that were not received yet.
            let hasBacklog = processBacklog()
            let hasMore = try receive()
            hasReceived = receivedCount > 0
            logReports()
            heapTrim.record(
                messages: receivedCount,
                waitingByteCount: transports.unreadByteCount + backlog.byteCount, at: now)
            flush()
            endGivenUp()
            let hasReleased = reapDisconnected()
            // Completed journal writes do not require another turn.
            if hasMore || transports.hasWork || hasBacklog || hasReleased {
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
        let others =
            [
                transports.nextDeadline(at: now), report?.next, heapTrim.deadline,
                log.nextSummary,
            ] + handovers.map(\.next)
        for case let other? in others {
            next = min(next ?? .max, other)
        }
        if !backlog.isEmpty {
            next = min(next ?? .max, now.advanced(byMilliseconds: Self.retryMilliseconds))
        }
        return next.map { .until($0.nanoseconds) } ?? .forever
    }

    // MARK: - Processes and connections that end

    /// Looks for exited processes. A connection ends when everything that its process wrote has
    /// been read; one that stays open longer is ended here.
    mutating func detectExits() {
        for peer in processes.ended() {
            markExited(peer)
        }
        for (peer, until) in exited {
            if until <= now {
                transports.endConnection(of: peer, at: now)
                exited[peer] = nil
            } else {
                transports.probe(peer)
            }
        }
    }

    private mutating func markExited(_ peer: PeerID) {
        exited[peer] = now.advanced(byMilliseconds: Self.lingerMilliseconds)
        handle(.exited(peer))
    }

    /// Looks for all exits, for a message that needs them: a process may have exited in the same turn,
    /// after the daemon was stopped or busy for a while.
    mutating func detectAllExits() {
        detectExits()
        for peer in processes.endedUnwatched() where exited[peer] == nil {
            markExited(peer)
        }
    }

    /// Ends the sessions of disconnected peers. A peer with messages in the backlog waits for them.
    /// Returns whether some are left.
    private mutating func reapDisconnected() -> Bool {
        var waiting: [PeerID] = []
        var hasUnfinished = false
        let end = MonotonicClock.now() + Self.reapingNanoseconds
        while let peer = disconnected.popLast() {
            // The end of a session takes time for all that it has under way.
            guard MonotonicClock.now() < end else {
                waiting.append(peer)
                hasUnfinished = true
                break
            }
            guard peers.contains(peer) else {
                continue
            }
            guard !backlog.holds(peer) else {
                hasUnfinished = true
                waiting.append(peer)
                continue
            }
            exited[peer] = nil
            let isParked = broker.parksInputs(of: peer)
            handle(.gone(peer))
            if !isParked {
                forget(peer)
            }
            flush()
        }
        disconnected += waiting
        return hasUnfinished
    }

    /// Records that a peer's connection has ended.
    mutating func markDisconnected(_ peer: PeerID) {
        guard peers.contains(peer) else {
            transports.remove(peer)
            return
        }
        if peers.markDisconnected(peer) {
            disconnected.append(peer)
        }
    }
}

extension Instant {
    fileprivate static let max = Instant(nanoseconds: .max)
}
