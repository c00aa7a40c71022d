// SPDX-License-Identifier: Apache-2.0

package import CascadeSession
package import Logging

/// A worker's end of the connection: it drives the session, and turns its effects into answers,
/// outcomes and work for nodes.
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
    private var lastRequest: UInt64 = 0
    var requests: [UInt64: Waiter<Answer>] = [:]
    var repeating: [UInt64: AsyncStream<[UInt8]>.Continuation] = [:]
    /// The number of the request to leave, if one was sent.
    var leaving: UInt64?
    var outcomes = OutcomeTable()
    /// The callers that wait for the acceptance of a durable event, by sequence.
    var acceptances: [UInt64: Waiter<Void>] = [:]
    var creditWaiters: [Waiter<Void>] = []
    private var end: CascadeError?
    /// The new paths of moved nodes, by their old paths: code that began before a move still uses
    /// the old path.
    var moves: [NodePath: NodePath] = [:]

    /// Called on the link's thread when the connection breaks, and when the bus has accepted this
    /// side again, before the answers that follow.
    private var connectionObserver: (@Sendable (LinkConnection) -> Void)?

    /// The work for the nodes, in the order of its arrival.
    package nonisolated let work: AsyncStream<LinkEvent>
    let workContinuation: AsyncStream<LinkEvent>.Continuation

    /// The answer to a request.
    package enum Answer: Sendable {
        case done
        case message([UInt8])
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor
    }

    /// Creates a link that runs on `executor`.
    package init(session: Session, executor: any SerialExecutor, logger: Logger) {
        self.init(session, executor.asUnownedSerialExecutor(), of: executor, logger)
    }

    /// Creates a link that runs on the executor of `actor`, so that neither waits for the other.
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

    /// Creates the transport and begins the session.
    package func open(_ make: @Sendable (isolated Link) throws -> any SessionTransport) rethrows {
        transport = try make(self)
        connected()
    }

    /// Tells the session that a new connection is ready.
    package func connected() {
        session.connected(into: &effects)
        perform()
    }

    /// Registers a function that is called for each change of the connection from now on.
    package func observeConnection(_ observer: @escaping @Sendable (LinkConnection) -> Void) {
        connectionObserver = observer
    }

    func noteConnection(_ connection: LinkConnection) {
        connectionObserver?(connection)
    }

    /// Tells the session that the connection has broken.
    package func disconnected() {
        session.disconnected(into: &effects)
        perform()
    }

    /// Reports to the worker that no process serves the endpoint.
    package func foundNobody() {
        workContinuation.yield(.foundNobody)
    }

    /// Ends the link, because the bus rejected this side's key or has another key than expected.
    package func turnedAway() {
        let error = CascadeError(
            .refused,
            "the bus does not accept this side's key, requires one, or has another key than the "
                + "one given",
            reason: .denied)
        workContinuation.yield(.violated(error))
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

    /// Attaches nodes, either all or none.
    package func attach(_ nodes: [NodeDeclaration], names: [EventName]) async throws {
        _ = try await request { session, request, effects in
            session.attach(nodes, names: names, request: request, into: &effects)
        }
    }

    /// Takes all nodes of the session out of the tree when they have finished the work that they
    /// have accepted.
    ///
    /// Returns at once without a bus, and when the bus is lost meanwhile.
    package func leave() async throws {
        guard session.state == .welcomed else {
            return
        }
        _ = try await request(isLeave: true) { session, request, effects in
            session.send(Leave(request: request), into: &effects)
        }
    }

    /// Takes one node out of the tree: it accepts no new work, and leaves when it has finished its
    /// accepted work, which may include the caller. Does nothing if the node has left already.
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

    /// Sets values and offers preferences of a node, either all or none. The session repeats them
    /// after each reconnect.
    package func set(_ assignments: Assignments, at path: NodePath) async throws {
        let path = current(path)
        _ = try await request { session, request, effects in
            session.set(assignments, at: path, request: request, into: &effects)
        }
    }

    /// Makes a node of any session active or inactive.
    package func activate(_ path: NodePath, isActive: Bool) async throws {
        _ = try await send { Activate(request: $0, path: path, isActive: isActive) }
    }

    /// Sends a query and returns the answer's message.
    package func query(_ subject: Query.Subject) async throws -> [UInt8] {
        guard case .message(let message) = try await send({ Query(request: $0, subject) }) else {
            throw CascadeError(.violation, "a query was answered without an answer")
        }
        return message
    }

    /// Sends a query that the bus answers now and after each change, until the stream is released.
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

    /// Ends a repeating query whose stream has been released.
    private func endWatch(_ request: UInt64) {
        repeating[request] = nil
        guard end == nil else {
            return
        }
        session.endRepeatingQuery(request, into: &effects)
        perform()
    }

    /// Sends the request that `make` creates for a request number, and waits for its answer.
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

    /// Raises a message when there is credit, and returns its sequence number. The caller performs
    /// the effects.
    func begin(_ raising: Raising, _ options: RaiseOptions) async throws -> UInt64 {
        // The connection may break before this task resumes, so the state is checked last.
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

    /// Refuses a message that is too long for the bus with the bus's own error.
    private func raiseNow(_ raising: Raising, _ options: RaiseOptions) throws -> UInt64 {
        do throws(WireError) {
            return try session.raise(raising, options, into: &effects)
        } catch {
            throw CascadeError(.refused, error.description, reason: error.code)
        }
    }

    /// Waits until messages can be raised or the link has ended; the caller checks which. When
    /// messages can be raised, the session knows the number of every node that is still in the
    /// tree.
    private func waitForCredit() async throws {
        try checkRunning()
        try await Waiter.value { creditWaiters.append($0) }
    }

    /// Cancels a request whose outcome has no waiting task.
    func cancel(_ sequence: UInt64) {
        if session.state != .welcomed {
            // The session does not send the request again, so no outcome will arrive.
            outcomes.settle(
                sequence, .failure(CascadeError(.notRunning, "the request was cancelled")))
        }
        session.cancel(sequence, into: &effects)
        perform()
    }

    /// Returns the current path of an origin. Once there is credit, every node that is still in the
    /// tree has a number.
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

    /// Returns the current path of a node of this session that was at `path`, possibly before
    /// moves.
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

    /// Returns when the link's thread has reached this call.
    package func comeRound() {}

    package func number(of path: NodePath) -> UInt32? {
        session.number(of: path)
    }

    package func path(of node: UInt32) -> NodePath? {
        session.path(of: node)
    }
}
