// SPDX-License-Identifier: Apache-2.0

import CascadeSession
package import CascadeWire
import Synchronization

/// Requests of the worker to the bus, each with an answer.
extension Link {
    /// Attaches nodes, either all or none.
    package func attach(_ nodes: [NodeDeclaration], names: [EventName]) async throws {
        _ = try await request { session, request, effects in
            session.attach(nodes, names: names, request: request, into: &effects)
        }
    }

    /// Returns a sentence about the first value of these nodes that is longer than the bus accepts; `nil`
    /// if there is none.
    func oversizedValue(of nodes: [NodeDeclaration]) -> String? {
        session.oversizedValue(of: nodes)
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
            throw CascadeError(.violation, "the bus completed a query without sending its answer")
        }
        return message
    }

    /// Sends a query that the bus answers now and after each change, until the stream is released.
    package func watch(_ subject: Query.Subject) throws -> AsyncStream<[UInt8]> {
        try checkRunning()
        // The bus limits the queries of a session, so those that have ended end there first.
        endReleasedWatches()
        lastRequest += 1
        let request = lastRequest
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        repeatingQueries[request] = continuation
        continuation.onTermination = { [weak self] _ in
            guard let self else {
                return
            }
            releasedWatches.withLock { $0.append(request) }
            Task { await self.endReleasedWatches() }
        }
        session.send(Query(request: request, subject, isRepeating: true), into: &effects)
        perform()
        return stream
    }

    /// Ends the repeating queries whose streams have been released.
    private func endReleasedWatches() {
        let released = releasedWatches.withLock { released in
            defer { released = [] }
            return released
        }
        for request in released {
            repeatingQueries[request] = nil
            if closeError == nil {
                session.endRepeatingQuery(request, into: &effects)
            }
        }
        perform()
    }

    /// Sends the request that `make` creates for a request number, and waits for its answer.
    package func send(_ make: @Sendable (UInt64) -> some WireMessage) async throws -> Answer {
        try await request { session, request, effects in
            session.send(make(request), into: &effects)
        }
    }

    /// Numbers a request, sends it with `begin`, and waits for its answer.
    private func request(
        isLeave: Bool = false, _ begin: (inout Session, UInt64, inout [SessionEffect]) -> Void
    ) async throws -> Answer {
        try checkRunning()
        lastRequest += 1
        let request = lastRequest
        if isLeave {
            leaveRequest = request
        }
        begin(&session, request, &effects)
        return try await Waiter.value { waiter in
            requests[request] = waiter
            perform()
        }
    }
}
