// SPDX-License-Identifier: Apache-2.0

package import CascadeSession
package import CascadeWire

/// Messages that nodes of the worker trigger or publish, and their outcomes.
extension Link {
    package func raise(_ raising: Raising, _ options: RaiseOptions) async throws -> RaisedEvent {
        let raised = try await begin(raising, options)
        perform()
        return raised
    }

    package func emit(_ raising: Raising, _ options: RaiseOptions) async throws {
        _ = try await raiseWithCredit(raising, options, CallDeadline(options))
        perform()
    }

    /// Raises a message that has an outcome. The caller performs the effects.
    private func begin(_ raising: Raising, _ options: RaiseOptions) async throws -> RaisedEvent {
        let deadline = CallDeadline(options)
        let sequence = try await raiseWithCredit(raising, options, deadline)
        let pending = PendingOutcome(of: sequence, on: self, deadline)
        outcomes[sequence] = pending
        return RaisedEvent(
            id: EventID(session: session.id, sequence: sequence), pending: pending)
    }

    /// Raises a message when there is credit, and returns its sequence number.
    private func raiseWithCredit(
        _ raising: Raising, _ options: RaiseOptions, _ deadline: CallDeadline?
    ) async throws -> UInt64 {
        var options = options
        // The connection may break before this task resumes, so the state is checked last.
        while !session.canRaise {
            let isAway = session.state != .welcomed
            try await waitForCredit(until: deadline)
            if isAway, let deadline {
                options.deadlineMilliseconds = deadline.millisecondsLeft
            }
        }
        try checkRunning()
        options.origin = try attached(options.origin)
        return try raiseNow(raising, options)
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
    /// tree. Throws ``CascadeError`` if a deadline passes while there is no bus.
    func waitForCredit(until deadline: CallDeadline? = nil) async throws {
        try checkRunning()
        try await Waiter.value { waiter in
            creditWaiters.append((waiter, deadline))
            if let deadline {
                watchDeadline(deadline.end)
            }
        }
    }

    /// Cancels a request whose outcome has no waiting task.
    func cancel(_ sequence: UInt64) {
        if session.state != .welcomed {
            // The session does not send the request again, so no outcome will arrive.
            settle(sequence, .failure(CascadeError(.notRunning, "the request was cancelled")))
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
    func current(_ path: NodePath) -> NodePath {
        var current = path
        var steps = moves.count
        while session.number(of: current) == nil, steps > 0, let next = moves[current] {
            current = next
            steps -= 1
        }
        return current
    }

    /// Resumes the tasks that wait for the outcome of a message.
    func settle(_ sequence: UInt64, _ result: Result<SettledEvent, any Error>) {
        outcomes.removeValue(forKey: sequence)?.settle(result)
    }
}

/// Durable events: accepted when they are on the bus's disk, with an outcome that the bus repeats
/// until it is confirmed.
extension Link {
    /// Raises a durable event, and returns when it is on the bus's disk. Throws ``CascadeError`` if
    /// the bus refuses the event, which then has no effect.
    package func raiseDurable(
        _ raising: Raising, _ options: RaiseOptions
    ) async throws -> RaisedEvent {
        var options = options
        options.flags.insert(.durable)
        let raised = try await begin(raising, options)
        try await Waiter.value { waiter in
            acceptanceWaiters[raised.id.sequence] = waiter
            perform()
        }
        return raised
    }

    /// Confirms that the node has received the outcome of a durable event of an earlier session.
    package func confirm(_ id: EventID) {
        session.confirm(id, into: &effects)
        perform()
    }

    /// Reports to the bus that the outcome of a durable event is not needed.
    package func renounceOutcome(of id: EventID) {
        session.renounceOutcome(of: id.sequence, into: &effects)
        perform()
    }
}
