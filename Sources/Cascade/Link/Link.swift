// SPDX-License-Identifier: Apache-2.0

package import CascadeSession
package import Logging

/// A worker's end of the connection: it drives the session, and turns what follows into answers,
/// outcomes and work for nodes.
///
/// It runs on the executor of its transport, so that everything of a session happens on one thread
/// without a lock.
package actor Link {
    private nonisolated let executor: UnownedSerialExecutor
    private nonisolated let executorOwner: any AnyObject & Sendable
    var session: Session
    private(set) var transport: (any SessionTransport)?
    let logger: Logger

    var effects: [SessionEffect] = []
    var isPerforming = false
    private var lastRequest: UInt64 = 0
    var requests: [UInt64: Waiter<Answer>] = [:]
    var repeating: [UInt64: AsyncStream<[UInt8]>.Continuation] = [:]
    /// The request to leave, if there is one.
    var leaving: UInt64?
    var outcomes = OutcomeTable()
    /// Who waits until a durable event is accepted.
    var acceptances: [UInt64: Waiter<Void>] = [:]
    var creditWaiters: [Waiter<Void>] = []
    private var end: CascadeError?
    /// Where nodes of this session went, by where they were: code that began before may still speak
    /// for the old place.
    var moves: [NodePath: NodePath] = [:]

    /// Is told when the connection breaks and when the bus has let this side in again, on the link's
    /// thread: before the answers that follow.
    private var connectionObserver: (@Sendable (LinkConnection) -> Void)?

    /// Work for the nodes, as it comes.
    package nonisolated let work: AsyncStream<LinkEvent>
    let workContinuation: AsyncStream<LinkEvent>.Continuation

    /// What a request is answered with.
    package enum Answer: Sendable {
        case done
        case message([UInt8])
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor
    }

    /// A link that runs on `executor`.
    package init(session: Session, executor: any SerialExecutor, logger: Logger) {
        self.init(session, executor.asUnownedSerialExecutor(), of: executor, logger)
    }

    /// A link that runs where `actor` runs, so that neither has to wait for the other.
    package init(session: Session, sharing actor: some Actor, logger: Logger = .silent) {
        self.init(session, actor.unownedExecutor, of: actor, logger)
    }

    private init(
        _ session: Session, _ executor: UnownedSerialExecutor,
        of executorOwner: any AnyObject & Sendable, _ logger: Logger
    ) {
        self.session = session
        self.executor = executor
        self.executorOwner = executorOwner
        self.logger = logger
        (work, workContinuation) = AsyncStream.makeStream()
    }

    // MARK: - The transport's side

    /// Begins the conversation over a transport.
    package func open(_ make: @Sendable (isolated Link) throws -> any SessionTransport) rethrows {
        transport = try make(self)
        connected()
    }

    /// There is a fresh connection.
    package func connected() {
        session.connected(into: &effects)
        perform()
    }

    /// Has a function called for each change of the connection from now on.
    package func observeConnection(_ observer: @escaping @Sendable (LinkConnection) -> Void) {
        connectionObserver = observer
    }

    func noteConnection(_ connection: LinkConnection) {
        connectionObserver?(connection)
    }

    /// The connection has broken.
    package func disconnected() {
        session.disconnected(into: &effects)
        perform()
    }

    /// Nobody serves the endpoint, at the moment.
    package func foundNobody() {
        workContinuation.yield(.foundNobody)
    }

    /// Whoever serves the endpoint does not let this side in.
    package func turnedAway() {
        let error = CascadeError(
            .refused,
            "the bus does not take this side's key, or wants one, or is not the one whose key was "
                + "given",
            reason: .denied)
        workContinuation.yield(.violated(error))
        close(error)
    }

    /// A message has come: `message` is all of it, `header` its beginning.
    package func received(_ header: Header, _ message: RawSpan) {
        do throws(WireError) {
            try session.received(header, message, into: &effects)
        } catch {
            logger.error("the daemon sent what is no message of the protocol: \(error)")
            session.disconnected(into: &effects)
        }
        perform()
    }

    /// Ends the conversation; whoever waits for something gets `error`.
    package func close(_ error: CascadeError) {
        guard end == nil else {
            return
        }
        end = error
        transport?.close()
        transport = nil
        outcomes.failAll(error)
        for request in requests.values {
            request.resume(with: .failure(error))
        }
        requests = [:]
        for acceptance in acceptances.values {
            acceptance.resume(with: .failure(error))
        }
        acceptances = [:]
        for waiter in creditWaiters {
            waiter.resume(with: .success(()))
        }
        creditWaiters = []
        for stream in repeating.values {
            stream.finish()
        }
        workContinuation.finish()
    }

    // MARK: - Requests

    /// Attaches nodes, all or none.
    package func attach(_ nodes: [NodeDeclaration], names: [EventName]) async throws {
        _ = try await request { session, request, effects in
            session.attach(nodes, names: names, request: request, into: &effects)
        }
    }

    /// Takes all nodes of the session out of the tree, once they have finished what they have.
    ///
    /// Without a bus there is no tree to leave, and nobody who would answer. The same holds if it
    /// goes meanwhile.
    package func leave() async throws {
        guard session.state == .welcomed else {
            return
        }
        _ = try await request(isLeave: true) { session, request, effects in
            session.send(Leave(request: request), into: &effects)
        }
    }

    /// Has one node leave: it takes nothing new, and is out of the tree when it has finished what
    /// it has, which may include whoever calls this. Nothing happens if it is gone already.
    func beginLeaving(_ path: NodePath) async throws {
        while !session.canRaise {
            try await waitForCredit()
        }
        try checkRunning()
        guard let number = session.number(of: current(path)) else {
            return
        }
        lastRequest += 1
        session.send(Leave(request: lastRequest, node: number), into: &effects)
        perform()
    }

    /// Sets values and offers preferences in the name of a node, all or none, also after each
    /// reconnect.
    package func set(_ assignments: Assignments, at path: NodePath) async throws {
        let path = current(path)
        _ = try await request { session, request, effects in
            session.set(assignments, at: path, request: request, into: &effects)
        }
    }

    /// Makes a node, anybody's, count as a subscriber, or no longer.
    package func activate(_ path: NodePath, isActive: Bool) async throws {
        _ = try await send { Activate(request: $0, path: path, isActive: isActive) }
    }

    /// Asks what stands in the tree; returns the answer's message.
    package func query(_ subject: Query.Subject) async throws -> [UInt8] {
        guard case .message(let message) = try await send({ Query(request: $0, subject) }) else {
            throw CascadeError(.violation, "a query was answered without an answer")
        }
        return message
    }

    /// Asks what stands in the tree, now and after each change, until nobody reads the stream any
    /// more.
    package func watch(_ subject: Query.Subject) throws -> AsyncStream<[UInt8]> {
        try checkRunning()
        lastRequest += 1
        let request = lastRequest
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        repeating[request] = continuation
        continuation.onTermination = { [weak self] _ in
            guard let self else {
                return
            }
            Task { await self.endWatch(request) }
        }
        session.send(Query(request: request, subject, isRepeating: true), into: &effects)
        perform()
        return stream
    }

    /// Whoever read the answers has ended: the bus need not send any more.
    private func endWatch(_ request: UInt64) {
        repeating[request] = nil
        guard end == nil else {
            return
        }
        session.endRepeatingQuery(request, into: &effects)
        perform()
    }

    /// Sends a request of one's own making and waits for its answer.
    package func send(_ make: @Sendable (UInt64) -> some WireMessage) async throws -> Answer {
        try await request { session, request, effects in
            session.send(make(request), into: &effects)
        }
    }

    private func request(
        isLeave: Bool = false, _ begin: (inout Session, UInt64, inout [SessionEffect]) -> Void
    ) async throws -> Answer {
        try checkRunning()
        lastRequest += 1
        let request = lastRequest
        if isLeave {
            leaving = request
        }
        begin(&session, request, &effects)
        return try await Waiter.value { waiter in
            requests[request] = waiter
            perform()
        }
    }

    private func checkRunning() throws {
        if let end {
            throw end
        }
    }

    // MARK: - Raising

    package func raise(_ raising: Raising, _ options: RaiseOptions) async throws -> RaisedEvent {
        let sequence = try await send(raising, options)
        return RaisedEvent(
            id: EventID(session: session.id, sequence: sequence),
            pending: PendingOutcome(sequence: sequence, link: self))
    }

    package func emit(_ raising: Raising, _ options: RaiseOptions) async throws {
        _ = try await send(raising, options)
    }

    private func send(_ raising: Raising, _ options: RaiseOptions) async throws -> UInt64 {
        let sequence = try await begin(raising, options)
        perform()
        return sequence
    }

    /// Raises it as soon as there is credit. What follows is still to be performed.
    func begin(_ raising: Raising, _ options: RaiseOptions) async throws -> UInt64 {
        // The connection may break while this comes back from waiting, so that is looked at last.
        while !session.canRaise {
            try await waitForCredit()
        }
        try checkRunning()
        var options = options
        options.origin = try attached(options.origin)
        let sequence = try raiseNow(raising, options)
        if !options.flags.contains(.unacknowledged) {
            outcomes.begin(sequence)
        }
        return sequence
    }

    /// What is too long for the bus is refused here, in the words in which the bus would.
    private func raiseNow(_ raising: Raising, _ options: RaiseOptions) throws -> UInt64 {
        do throws(WireError) {
            return try session.raise(raising, options, into: &effects)
        } catch {
            throw CascadeError(.refused, error.description, reason: error.code)
        }
    }

    /// Waits until something can be raised, or no longer: whoever waited has to look again. When
    /// something can be raised, every node that is still in the tree is known.
    private func waitForCredit() async throws {
        try checkRunning()
        try await Waiter.value { creditWaiters.append($0) }
    }

    /// Nobody waits for an outcome any longer.
    func cancel(_ sequence: UInt64) {
        if session.state != .welcomed {
            // It is not sent again, so that no outcome comes.
            outcomes.settle(
                sequence, .failure(CascadeError(.notRunning, "the request was cancelled")))
        }
        session.cancel(sequence, into: &effects)
        perform()
    }

    /// Where the origin stands now. Once there is credit, every node that is still in the tree has
    /// its number.
    private func attached(_ origin: RaiseOptions.Origin) throws -> RaiseOptions.Origin {
        guard case .node(let path) = origin else {
            return origin
        }
        let current = current(path)
        guard session.number(of: current) != nil else {
            throw CascadeError(.detached, "'\(path)' is no longer in the tree")
        }
        return .node(current)
    }

    /// Where a node of this session stands that was at `path`, maybe before it was moved.
    private func current(_ path: NodePath) -> NodePath {
        var current = path
        var steps = moves.count
        while session.number(of: current) == nil, steps > 0, let next = moves[current] {
            current = next
            steps -= 1
        }
        return current
    }

    package func outcome(of sequence: UInt64) async throws -> SettledEvent {
        if let result = outcomes.settled(sequence) {
            return try result.get()
        }
        try checkRunning()
        return try await Waiter.value { outcomes.wait(for: sequence, $0) }
    }

    // MARK: - Nodes

    /// A responder or subscription has ended.
    package func finished(
        _ token: InvocationToken, _ result: InvocationResult, microseconds: UInt32
    ) {
        session.finished(token, result, microseconds: microseconds, into: &effects)
        perform()
    }

    /// The responders' executor has come round to a beat.
    package func beatAnswered(_ beat: UInt64) {
        session.beatAnswered(beat, into: &effects)
        perform()
    }

    /// Returns once the link's thread has a moment for it.
    package func comeRound() {}

    package func number(of path: NodePath) -> UInt32? {
        session.number(of: path)
    }

    package func path(of node: UInt32) -> NodePath? {
        session.path(of: node)
    }
}
