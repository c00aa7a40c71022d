// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// The handlers of nodes. They do all that handlers of an application may do, after any time.
extension SimulatedProcess {
    func invoke(_ invocation: Invocation) {
        do throws(WireError) {
            let visit = try session.visit(invocation.token)
            simulation.log(
                "process \(index): \(visit.node) works on \(visit.name) \(invocation.target)",
                event: visit.id)
            let kind = kind(invocation, at: visit.node)
            var responder: Int?
            if case .responder(let index) = invocation.target {
                responder = index
            }
            let attempt = RepetitionOracle.Attempt(
                session: session.id, node: visit.node, responder: responder, event: visit.id,
                lane: visit.lane, name: visit.name)
            invoked[invocation.token] = Invoked(visit: visit, kind: kind, attempt: attempt)
            check(visit, attempt)
            if !visit.isPublication, simulation.isFaulty,
                simulation.random.isLucky(simulation.plan.causingPercent)
            {
                raise(causedBy: visit)
            }
            simulation.plan(
                .finish(index, incarnation: incarnation, invocation.token),
                afterMilliseconds: simulation.isFaulty
                    ? simulation.random.pick(simulation.plan.work) : 0)
        } catch {
            simulation.addFinding(
                Finding("protocol", "a visit cannot be read: \(error)", session: session.id))
            session.finished(
                invocation.token, .failed(Failure(.malformed)), microseconds: 0, into: &effects)
        }
    }

    private func kind(_ invocation: Invocation, at node: NodePath) -> ResponderKind? {
        guard case .responder(let index) = invocation.target else {
            return nil
        }
        let list = responders[node] ?? []
        return index < list.count ? list[index].kind : .observe
    }

    private func check(_ visit: Visit, _ attempt: RepetitionOracle.Attempt) {
        simulation.addFinding(simulation.oracles.staleSession.begun(visit.id, on: connection))
        simulation.addFinding(simulation.oracles.payload.arrived(visit))
        // A new daemon reuses the IDs of the bus's own messages, and each new subscriber receives the
        // same retained publication.
        let isBus = visit.id.session == SessionID(high: 0, low: 0)
        if !isBus, !visit.isRetained {
            simulation.addFinding(
                simulation.oracles.repetition.begun(attempt, isMarked: visit.isRedelivered))
        }
        let origin = simulation.process(of: visit.id.session)
        simulation.addFinding(
            simulation.oracles.order.begun(
                visit, in: session.id, epoch: origin?.epoch(of: origin?.connection) ?? -1,
                at: simulation.now))
    }

    /// Ends a handler with a random result. A stopped process ends it when the process is continued.
    func finish(_ token: InvocationToken) {
        guard state == .running else {
            if state == .stopped {
                postponed.append(token)
            }
            return
        }
        guard let invoked = invoked.removeValue(forKey: token) else {
            return
        }
        let result = result(of: invoked)
        record(result, of: invoked)
        simulation.log(
            "process \(index): the answer of \(invoked.visit.node) is \(result.word)",
            event: invoked.visit.id)
        session.finished(token, result, microseconds: 1, into: &effects)
        perform()
    }

    /// Reports the result of a handler to the oracles.
    private func record(_ result: InvocationResult, of invoked: Invoked) {
        let isAnswer =
            switch result {
            case .passed: false
            case .failed: !invoked.isCancelled
            case .handled, .answered, .replaced, .remote: true
            }
        simulation.oracles.repetition.ended(invoked.attempt, isAnswer: isAnswer)
        if case .replaced(let raising) = result {
            simulation.oracles.payload.sent(invoked.visit.id, raising.payload)
        }
    }

    private func result(of invoked: Invoked) -> InvocationResult {
        if simulation.random.isLucky(simulation.plan.failingPercent) {
            return .failed(
                Failure(name: simulation.random.pick(SimulationPlan.errorNames), message: "no"))
        }
        switch invoked.kind {
        case .receive, .receiveError:
            return simulation.random.isLucky(50) ? .passed : .handled
        case .handle, .handleError, nil: return .handled
        case .observe: return .passed
        case .respond:
            return simulation.random.isLucky(50)
                ? .passed
                : .answered(Reply(payload: PayloadOracle.reply(to: invoked.visit.id)))
        case .transform, .catch:
            return .replaced(
                Raising(
                    name: simulation.random.pick(SimulationPlan.eventNames),
                    payload: simulation.payload()))
        case .transformError:
            return .replaced(
                Raising(
                    name: simulation.random.pick(SimulationPlan.errorNames),
                    payload: simulation.payload(), message: "other"))
        }
    }

    /// Triggers an event with the visit as its cause.
    private func raise(causedBy visit: Visit) {
        guard session.number(of: visit.node) != nil else {
            return
        }
        var options = RaiseOptions(.up, from: .node(visit.node))
        options.cause = Cause(id: visit.id, depth: visit.causes)
        backlog.append(
            (
                Raising(
                    name: simulation.random.pick(SimulationPlan.eventNames),
                    payload: simulation.payload()), options
            ))
        raiseBacklog()
    }
}

extension InvocationResult {
    /// The result as the history shows it.
    fileprivate var word: String {
        switch self {
        case .passed: "passed"
        case .handled: "handled"
        case .answered: "answered"
        case .replaced(let raising): "replaced by \(raising.name)"
        case .remote(let remote): "\(remote.code) on another bus"
        case .failed(let failure, _): "failed with \(failure.name)"
        }
    }
}
