// SPDX-License-Identifier: Apache-2.0

package import CascadeSession
package import Logging

/// A worker's end of the connection: it drives the session, and turns what follows into answers,
/// outcomes and work for nodes.
///
/// It runs on the executor of its transport, so that everything of a session happens on one thread
/// without a lock.
package actor Link {
    private nonisolated let executor: any SerialExecutor
    private var session: Session
    private var transport: (any SessionTransport)?
    private let logger: Logger

    private var effects: [SessionEffect] = []
    private var lastRequest: UInt64 = 0
    private var requests: [UInt64: CheckedContinuation<Answer, any Error>] = [:]
    private var repeating: [UInt64: AsyncStream<[UInt8]>.Continuation] = [:]
    private var outcomes = OutcomeTable()
    private var creditWaiters: [CheckedContinuation<Void, Never>] = []
    private var end: CascadeError?

    /// Work for the nodes, as it comes.
    package nonisolated let work: AsyncStream<LinkEvent>
    private let workContinuation: AsyncStream<LinkEvent>.Continuation

    /// What a request is answered with.
    package enum Answer: Sendable {
        case done
        case message([UInt8])
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    package init(session: Session, executor: any SerialExecutor, logger: Logger) {
        self.session = session
        self.executor = executor
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

    /// The connection has broken.
    package func disconnected() {
        session.disconnected(into: &effects)
        perform()
    }

    /// Nobody serves the endpoint, at the moment.
    package func foundNobody() {
        workContinuation.yield(.foundNobody)
    }

    /// A message has come; `message` may be empty where the header says it all.
    package func received(_ header: Header, _ message: [UInt8]) {
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
            request.resume(throwing: error)
        }
        requests = [:]
        for waiter in creditWaiters {
            waiter.resume()
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
    /// Without a bus there is no tree to leave, and nobody who would answer.
    package func leave() async throws {
        guard session.state == .welcomed else {
            return
        }
        _ = try await send { Leave(request: $0) }
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

    /// Asks what stands in the tree, now and after each change.
    package func watch(_ subject: Query.Subject) throws -> AsyncStream<[UInt8]> {
        try checkRunning()
        lastRequest += 1
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        repeating[lastRequest] = continuation
        session.send(
            Query(request: lastRequest, subject, isRepeating: true), into: &effects)
        perform()
        return stream
    }

    /// Sends a request of one's own making and waits for its answer.
    package func send(_ make: @Sendable (UInt64) -> some WireMessage) async throws -> Answer {
        try await request { session, request, effects in
            session.send(make(request), into: &effects)
        }
    }

    private func request(
        _ begin: (inout Session, UInt64, inout [SessionEffect]) -> Void
    ) async throws -> Answer {
        try checkRunning()
        lastRequest += 1
        let request = lastRequest
        begin(&session, request, &effects)
        return try await withCheckedThrowingContinuation { continuation in
            requests[request] = continuation
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
        while !session.canRaise {
            try checkRunning()
            await withCheckedContinuation { creditWaiters.append($0) }
        }
        try checkRunning()
        let sequence = session.raise(raising, options, into: &effects)
        if !options.flags.contains(.unacknowledged) {
            outcomes.begin(sequence)
        }
        perform()
        return sequence
    }

    package func outcome(of sequence: UInt64) async throws -> SettledEvent {
        try await withCheckedThrowingContinuation { outcomes.wait(for: sequence, $0) }
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

    package func number(of path: NodePath) -> UInt32? {
        session.number(of: path)
    }

    package func path(of node: UInt32) -> NodePath? {
        session.path(of: node)
    }

    // MARK: - Effects

    /// Does what follows, in order. What that brings about comes as further effects.
    private func perform() {
        var index = 0
        while index < effects.count {
            perform(effects[index])
            index += 1
        }
        effects.removeAll(keepingCapacity: true)
    }

    private func perform(_ effect: SessionEffect) {
        switch effect {
        case .send(let header): transport?.send(header)
        case .sendMessage(let message): transport?.send(message)
        case .sendRaised(let header, let fields, let payload):
            transport?.send(header, fields: fields, payload: payload)
        case .reconnect: reconnect()
        case .invoke(let invocation): invoke(invocation)
        case .beat(let beat): workContinuation.yield(.beat(beat))
        case .welcomed(let welcome): workContinuation.yield(.welcomed(welcome))
        case .detached(let detached): workContinuation.yield(.detached(detached))
        case .violated(let violation): violated(violation)
        case .ended(let header, let message): settle(header, message)
        case .raiseRefused(let sequence, let refused):
            outcomes.settle(sequence, .failure(CascadeError(refused)))
        case .attached(let request), .done(let request):
            requests.removeValue(forKey: request)?.resume(returning: .done)
        case .refused(let request, let refused):
            refuse(request, refused)
        case .answered(let request, let message):
            answer(request, message)
        case .creditReturned:
            resumeCreditWaiters()
        }
    }

    private func invoke(_ invocation: Invocation) {
        do throws(WireError) {
            workContinuation.yield(.invoke(invocation, try session.visit(invocation.token)))
        } catch {
            logger.error("the daemon sent a visit that cannot be read: \(error)")
            session.finished(
                invocation.token, .failed(Failure(.malformed, message: error.description)),
                microseconds: 0, into: &effects)
        }
    }

    private func settle(_ header: Header, _ message: [UInt8]) {
        do throws(WireError) {
            let fields = message.isEmpty ? FieldReader([]) : header.fields(of: message)
            let ended = try Ended(header: header, fields: fields)
            outcomes.settle(
                ended.sequence,
                .success(SettledEvent(ended: ended, by: session.path(of: ended.node))))
        } catch {
            outcomes.settle(
                header.sequence,
                .failure(
                    CascadeError(.violation, "an outcome cannot be read: \(error.description)")))
        }
    }

    private func answer(_ request: UInt64, _ message: [UInt8]) {
        if let stream = repeating[request] {
            stream.yield(message)
        } else {
            requests.removeValue(forKey: request)?.resume(returning: .message(message))
        }
    }

    private func refuse(_ request: UInt64, _ refused: Refused) {
        if let request = requests.removeValue(forKey: request) {
            request.resume(throwing: CascadeError(refused))
        } else if let stream = repeating[request] {
            stream.yield(refused.encoded())
        } else {
            // The attach after a reconnect: somebody else has taken a path meanwhile.
            workContinuation.yield(.reattachRefused(CascadeError(refused)))
        }
    }

    private func resumeCreditWaiters() {
        guard !creditWaiters.isEmpty, session.canRaise else {
            return
        }
        let waiters = creditWaiters
        creditWaiters = []
        for waiter in waiters {
            waiter.resume()
        }
    }

    private func violated(_ violation: Violation) {
        guard violation.code != .shuttingDown, violation.code != .greetingRequired else {
            return
        }
        let error = CascadeError(.violation, violation.sentence, reason: violation.code)
        workContinuation.yield(.violated(error))
        close(error)
    }

    private func reconnect() {
        transport?.reconnect()
        if transport != nil {
            session.connected(into: &effects)
        }
    }
}

extension CascadeError {
    init(_ refused: Refused) {
        self.init(.refused, refused.sentence, reason: refused.code)
    }
}
