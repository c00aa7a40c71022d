// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// The handlers of nodes: they behave in any way that application code may, after any time.
extension SimulatedProcess {
    func invoke(_ invocation: Invocation) {
        do throws(WireError) {
            let visit = try session.visit(invocation.token)
            simulation.note(
                "process \(index): \(visit.node) works on \(visit.name) \(invocation.target)",
                event: visit.id)
            let kind = kind(invocation, at: visit.node)
            var responder: Int?
            if case .responder(let place) = invocation.target {
                responder = place
            }
            let place = RepetitionOracle.Place(
                session: session.id, node: visit.node, responder: responder, event: visit.id,
                lane: visit.lane, name: visit.name)
            invoked[invocation.token] = Invoked(visit: visit, kind: kind, place: place)
            check(visit, place)
            if !visit.isPublication, simulation.isFaulty,
                simulation.random.isLucky(simulation.plan.causingPercent)
            {
                raise(because: visit)
            }
            simulation.plan(
                .finish(index, incarnation: incarnation, invocation.token),
                afterMilliseconds: simulation.isFaulty
                    ? simulation.random.pick(simulation.plan.work) : 0)
        } catch {
            simulation.find(
                Finding("protocol", "a visit cannot be read: \(error)", session: session.id))
            session.finished(
                invocation.token, .failed(Failure(.malformed)), microseconds: 0, into: &effects)
        }
    }

    private func kind(_ invocation: Invocation, at node: NodePath) -> ResponderKind? {
        guard case .responder(let place) = invocation.target else {
            return nil
        }
        let list = responders[node] ?? []
        return place < list.count ? list[place].kind : .observe
    }

    private func check(_ visit: Visit, _ place: RepetitionOracle.Place) {
        simulation.find(simulation.oracles.staleSession.begun(visit.id, by: connection))
        simulation.find(simulation.oracles.payload.arrived(visit))
        // The bus assigns new numbers to its own messages when it starts, and every new subscriber
        // receives a retained value.
        let isBus = visit.id.session == SessionID(high: 0, low: 0)
        if !isBus, !visit.isRetained {
            simulation.find(
                simulation.oracles.repetition.begun(place, isMarked: visit.isRedelivered))
        }
        let origin = simulation.process(of: visit.id.session)
        simulation.find(
            simulation.oracles.order.begun(
                visit, in: session.id, epoch: origin?.epoch(of: origin?.connection) ?? -1,
                at: simulation.now))
    }

    /// A handler has ended.
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
        simulation.note(
            "process \(index): \(invoked.visit.node) says \(result.word)", event: invoked.visit.id)
        session.finished(token, result, microseconds: 1, into: &effects)
        perform()
    }

    /// Reports the result of a handler to the oracles.
    private func record(_ result: InvocationResult, of invoked: Invoked) {
        let isAnswer =
            switch result {
            case .passed: false
            case .failed: !invoked.isCancelled
            case .handled, .answered, .replaced: true
            }
        simulation.oracles.repetition.ended(invoked.place, isAnswer: isAnswer)
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
    private func raise(because visit: Visit) {
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
    /// The result in a few words, for the history.
    fileprivate var word: String {
        switch self {
        case .passed: "passed"
        case .handled: "handled"
        case .answered: "answered"
        case .replaced(let raising): "replaced by \(raising.name)"
        case .failed(let failure, _): "failed with \(failure.name)"
        }
    }
}
