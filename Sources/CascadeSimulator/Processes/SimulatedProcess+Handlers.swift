// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// The code of nodes: it does anything that code may do, after any time.
extension SimulatedProcess {
    func invoke(_ invocation: Invocation) {
        do throws(WireError) {
            let visit = try session.visit(invocation.token)
            simulation.note(
                "process \(index): \(visit.node) works on \(visit.name) \(invocation.target)",
                event: visit.id)
            let kind = kind(invocation, at: visit.node)
            invoked[invocation.token] = Invoked(visit: visit, kind: kind)
            check(visit)
            if !visit.isPublication, simulation.isFaulty,
                simulation.random.isLucky(simulation.plan.causingPercent)
            {
                raise(because: visit)
            }
            simulation.plan(
                .finish(index, incarnation: incarnation, invocation.token),
                afterMilliseconds: simulation.random.pick(simulation.plan.work))
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

    private func check(_ visit: Visit) {
        simulation.find(simulation.oracles.staleSession.begun(visit.id, by: connection))
        let origin = simulation.process(of: visit.id.session)
        simulation.find(
            simulation.oracles.order.begun(
                visit, in: session.id, epoch: origin?.epoch(of: origin?.connection) ?? -1))
    }

    /// The code has ended.
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
        simulation.note(
            "process \(index): \(invoked.visit.node) says \(result.word)", event: invoked.visit.id)
        session.finished(token, result, microseconds: 1, into: &effects)
        perform()
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
                ? .passed : .answered(Reply(payload: Array("7".utf8)))
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

    /// What is raised within a handler has what is handled as its cause.
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
    /// In a word, for people.
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
