// SPDX-License-Identifier: Apache-2.0

package import CascadeSession
package import CascadeWire
package import Logging
import Synchronization

/// The session of a worker on its connection: drives the session, and turns the session's effects
/// into answers, outcomes and work for nodes.
///
/// It runs on the executor of its transport, so that one thread accesses the session without a
/// lock.
package actor Link {
    private nonisolated let executor: UnownedSerialExecutor
    private nonisolated let executorOwner: any AnyObject & Sendable
    var session: Session
    private(set) var transport: (any SessionTransport)?
    let logger: Logger

    var effects: [SessionEffect] = []
    var isPerforming = false
    var lastRequest: UInt64 = 0
    /// The callers that wait for the answer to a request, by its number.
    var requests: [UInt64: Waiter<Answer>] = [:]
    /// The streams of the repeating queries, by the numbers of the requests.
    var repeatingQueries: [UInt64: AsyncStream<[UInt8]>.Continuation] = [:]
    /// The requests of the repeating queries whose streams have been released, and which the bus still
    /// answers.
    nonisolated let releasedWatches = Mutex<[UInt64]>([])
    /// The number of the request to leave, if one was sent.
    var leaveRequest: UInt64?
    /// The outcomes of messages that have not ended, by sequence number.
    var outcomes: [UInt64: PendingOutcome] = [:]
    /// The callers that wait for the acceptance of a durable event, by its sequence number.
    var acceptanceWaiters: [UInt64: Waiter<Void>] = [:]
    /// The callers that wait for credit, with the deadlines of those that named one.
    var creditWaiters: [(waiter: Waiter<Void>, deadline: CallDeadline?)] = []
    /// Ends calls at their deadlines while no bus serves the session; `end` is the first of them.
    var deadlineWatch: (task: Task<Void, Never>, end: SuspendingClock.Instant)?
    /// The error with which the link was closed; `nil` while it is open.
    private(set) var closeError: CascadeError?
    /// The new paths of moved nodes, by their old paths: code that began before a move still uses
    /// the old path.
    var moves: [NodePath: NodePath] = [:]

    /// The function called on the link's thread when the connection breaks, and when the bus has
    /// accepted the session again, before the answers that follow.
    private var connectionObserver: (@Sendable (LinkConnection) -> Void)?

    /// The use of the link's thread by responders.
    nonisolated let threadUse = ThreadUse()

    /// The work for the nodes, in the order of its arrival.
    package nonisolated let work: AsyncStream<LinkEvent>
    private let workContinuation: AsyncStream<LinkEvent>.Continuation
    /// The events that follow messages that are yet to be written.
    private var heldWork: [LinkEvent] = []
    private var holdsWork = false

    /// The answer to a request.
    package enum Answer: Sendable {
        case done
        case message([UInt8])
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor
    }

    /// Creates a link that runs on `executor`.
    package init(session: consuming Session, executor: any SerialExecutor, logger: Logger) {
        self.init(session, executor.asUnownedSerialExecutor(), of: executor, logger)
    }

    /// Creates a link that runs on the executor of `actor`, so that neither waits for the other.
    package init(session: consuming Session, sharing actor: some Actor, logger: Logger = .silent) {
        self.init(session, actor.unownedExecutor, of: actor, logger)
    }

    private init(
        _ session: consuming Session, _ executor: UnownedSerialExecutor,
        of executorOwner: any AnyObject & Sendable, _ logger: Logger
    ) {
        self.session = session
        self.executor = executor
        self.executorOwner = executorOwner
        self.logger = logger
        (work, workContinuation) = AsyncStream.makeStream()
    }

    // MARK: - The transport's side

    /// Creates the transport, and begins the session unless the transport calls ``connected()``
    /// later.
    package func open(_ make: @Sendable (isolated Link) throws -> any SessionTransport) rethrows {
        let transport = try make(self)
        self.transport = transport
        holdsWork = transport.writesInTurns
        if transport.isConnected {
            connected()
        }
    }

    /// Reports to the session that a new connection is ready.
    package func connected() {
        shortenDeadlines()
        session.connected(into: &effects)
        perform()
    }

    /// Registers a function that is called for each change of the connection from now on.
    package func observeConnection(_ observer: @escaping @Sendable (LinkConnection) -> Void) {
        connectionObserver = observer
    }

    func connectionChanged(_ connection: LinkConnection) {
        connectionObserver?(connection)
    }

    /// Reports to the session that the connection has broken.
    package func disconnected() {
        session.disconnected(into: &effects)
        perform()
    }

    /// Reports to the worker that no process serves the endpoint.
    package func noBusFound() {
        passOn(.noBusFound)
    }

    /// Closes the link, because the bus rejected the worker's key or has another key than expected.
    package func keyRejected() {
        let error = CascadeError(
            .refused,
            "the bus does not accept this side's key, requires one, or has another key than the "
                + "one given",
            reason: .denied)
        passOn(.violated(error))
        close(error)
    }

    /// Processes a received message. `message` is the whole message, `header` its beginning.
    package func received(_ header: Header, _ message: RawSpan) {
        do throws(WireError) {
            try session.received(header, message, into: &effects)
        } catch {
            logger.error("the daemon sent an invalid message: \(error)")
            session.disconnected(into: &effects)
        }
        perform()
    }

    /// Ends the session. Every pending request and outcome fails with `error`.
    package func close(_ error: CascadeError) {
        guard closeError == nil else {
            return
        }
        closeError = error
        transport?.close()
        transport = nil
        for outcome in outcomes.values {
            outcome.settle(.failure(error))
        }
        outcomes = [:]
        for request in requests.values {
            request.resume(with: .failure(error))
        }
        requests = [:]
        for acceptance in acceptanceWaiters.values {
            acceptance.resume(with: .failure(error))
        }
        acceptanceWaiters = [:]
        for waiting in creditWaiters {
            waiting.waiter.resume(with: .success(()))
        }
        creditWaiters = []
        stopWatchingDeadlines()
        for stream in repeatingQueries.values {
            stream.finish()
        }
        releaseWork()
        workContinuation.finish()
    }

    // MARK: - Work

    /// Passes an event on to the worker, once the messages before it are written: a responder that ends its
    /// process must not begin before the bus can know that its visit was accepted.
    func passOn(_ event: LinkEvent) {
        if holdsWork {
            heldWork.append(event)
        } else {
            workContinuation.yield(event)
        }
    }

    /// Passes on the events that follow the messages that the transport has written.
    func releaseWork() {
        for event in heldWork {
            workContinuation.yield(event)
        }
        heldWork.removeAll(keepingCapacity: true)
    }

    /// Throws the error with which the link was closed, if it was.
    func checkRunning() throws {
        if let closeError {
            throw closeError
        }
    }

    // MARK: - Nodes

    /// Sends the result of a responder or subscription that has ended.
    package func finished(
        _ token: InvocationToken, _ result: InvocationResult, microseconds: UInt32
    ) {
        session.finished(token, result, microseconds: microseconds, into: &effects)
        perform()
    }

    /// Answers a beat, after the executor of the responders has reached it.
    package func beatAnswered(_ beat: UInt64) {
        session.beatAnswered(beat, into: &effects)
        perform()
    }

    /// Returns when the link's thread has executed this call, which shows that it responds.
    package func roundTrip() {}

    package func number(of path: NodePath) -> UInt32? {
        session.number(of: path)
    }

    package func path(of node: UInt32) -> NodePath? {
        session.path(of: node)
    }
}

/// The carrier of a session's messages: a connection to a bus, or a bus in memory. The session
/// behaves the same on both.
package protocol SessionTransport: AnyObject {
    /// Whether the transport is connected as soon as it is created; otherwise it calls
    /// ``Link/connected()`` when it is.
    var isConnected: Bool { get }

    /// Whether messages are written at the end of a turn, after which the transport calls
    /// `Link.releaseWork()`.
    var writesInTurns: Bool { get }

    func send(_ header: Header)
    func send(_ message: [UInt8])
    func send(_ header: Header, fields: [UInt8], payload: [UInt8])

    /// Replaces the connection, now or later, and then calls ``Link/connected()``.
    func reconnect()

    /// Stops sending and receiving messages.
    func close()
}
