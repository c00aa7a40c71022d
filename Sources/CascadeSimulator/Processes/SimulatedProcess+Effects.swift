// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// What the session wants done.
extension SimulatedProcess {
    func perform(_ effect: SessionEffect) {
        switch effect {
        case .send(let header): send(header, header.encoded())
        case .sendMessage(let message): simulation.send(message, .up, by: connection)
        case .sendRaised(let header, let fields, let payload):
            send(header, header.encoded() + fields + payload)
        case .reconnect: reconnect()
        case .invoke(let invocation): invoke(invocation)
        case .beat(let beat): session.beatAnswered(beat, into: &effects)
        case .ended(let header, _): ended(header)
        case .raiseRefused(let sequence, let refused):
            note("#\(sequence) is refused: \(refused.sentence)", sequence)
            simulation.find(
                simulation.oracles.outcome.ended(id(sequence), of: index))
        case .attached(let request): attached(request)
        case .done(let request):
            if request == leaving {
                simulation.note("process \(index) has left", session: session.id)
                end()
                if simulation.isFaulty {
                    simulation.plan(.startProcess(index), afterMilliseconds: 100)
                }
            }
        case .refused(let request, let refused): self.refused(request, refused)
        case .detached(let detached):
            nodes.removeAll { $0 == detached.path }
            note("\(detached.path) is detached: \(detached.reason)")
        case .moved(let old, let new): moved(from: old, to: new)
        case .creditReturned: raiseBacklog()
        case .violated(let violation):
            note("the session is ended: \(violation.code), \(violation.sentence)")
        case .welcomed, .answered, .cancelled, .environment, .accepted, .settled, .settledBefore:
            break
        }
    }

    func id(_ sequence: UInt64) -> EventID {
        EventID(session: session.id, sequence: sequence)
    }

    private func note(_ text: @autoclosure () -> String, _ sequence: UInt64? = nil) {
        simulation.note(
            "process \(index): \(text())", event: sequence.map(id), session: session.id)
    }

    private func send(_ header: Header, _ message: [UInt8]) {
        switch header.command {
        case .verdict:
            if simulation.triggers(.secondVerdict) {
                simulation.send(message, .up, by: connection)
            }
        case .credit:
            if simulation.triggers(.excessiveCredit) {
                simulation.send(message, .up, by: connection)
            }
        case .trigger, .publish:
            if simulation.oracles.outcome.isSentAgain(id(header.sequence)),
                simulation.triggers(.forgottenEvent)
            {
                return
            }
        default: break
        }
        simulation.send(message, .up, by: connection)
    }

    private func ended(_ header: Header) {
        simulation.counts.ended += 1
        note("outcome \(header.code) of #\(header.sequence)", header.sequence)
        requests.removeAll { $0 == header.sequence }
        simulation.find(simulation.oracles.outcome.ended(id(header.sequence), of: index))
        if OutcomeCode(rawValue: header.code) == nil {
            simulation.find(
                Finding(
                    "outcome", "there is no outcome \(header.code)", event: id(header.sequence)))
        }
    }

    // MARK: - Nodes

    func attach(_ declaration: NodeDeclaration) {
        lastRequest += 1
        attaching[lastRequest] = [declaration]
        session.attach(
            [declaration], names: declaration.subscriptions + SimulationPlan.eventNames.prefix(3),
            request: lastRequest, into: &effects)
    }

    private func attached(_ request: UInt64) {
        for declaration in attaching.removeValue(forKey: request) ?? [] {
            note("\(declaration.path) stands")
            nodes.append(declaration.path)
            responders[declaration.path] = declaration.responders
        }
    }

    /// What is refused because of somebody who is still there, dead or alive, is tried again.
    private func refused(_ request: UInt64, _ refused: Refused) {
        note("refused: \(refused.sentence)")
        if request == session.reattachRequest {
            crash()
        } else if attaching.removeValue(forKey: request) != nil {
            simulation.plan(.attachAgain(index, incarnation: incarnation), afterMilliseconds: 200)
        } else if request == leaving {
            end()
        }
    }

    /// Attaches what of its nodes neither stands nor is being attached.
    func attachAgain() {
        guard state == .running, leaving == nil else {
            return
        }
        let known = nodes.count + attaching.count
        guard known < declarations.count else {
            return
        }
        let pending = attaching.values.flatMap { $0.map(\.path.name) } + nodes.map(\.name)
        for declaration in declarations where !pending.contains(declaration.path.name) {
            attach(declaration)
        }
        perform()
    }

    private func moved(from old: NodePath, to new: NodePath) {
        note("\(old) is at \(new) now")
        if let place = nodes.firstIndex(of: old) {
            nodes[place] = new
        }
        responders[new] = responders.removeValue(forKey: old)
    }

    // MARK: - Raising

    /// Raises what waited, as far as there is credit.
    func raiseBacklog() {
        while state == .running, session.canRaise, !backlog.isEmpty {
            let (raising, options) = backlog.removeFirst()
            raiseNow(raising, options)
        }
    }

    func raise(_ raising: Raising, _ options: RaiseOptions) {
        guard backlog.count < 200 else {
            return
        }
        backlog.append((raising, options))
        raiseBacklog()
        perform()
    }

    private func raiseNow(_ raising: Raising, _ options: RaiseOptions) {
        if case .node(let path) = options.origin, session.number(of: path) == nil {
            return
        }
        do throws(WireError) {
            let sequence = try session.raise(raising, options, into: &effects)
            simulation.counts.raised += 1
            note(
                "raises #\(sequence), \(raising.name) \(options.direction) "
                    + "from \(options.origin.path)",
                sequence)
            guard !options.flags.contains(.unacknowledged) else {
                return
            }
            if case .upward(.request) = options.direction {
                requests.append(sequence)
            }
            simulation.oracles.outcome.raised(id(sequence), by: index, at: simulation.now)
            simulation.oracles.order.raised(
                id(sequence), raising, options, epoch: epoch(of: connection))
        } catch {
            simulation.find(Finding("protocol", "a short message is too long: \(error)"))
        }
    }

    /// Changes with every connection and every daemon: what is sent again may come again.
    func epoch(of connection: ConnectionID?) -> Int {
        (connection?.number ?? 0) << 16 | simulation.daemon.incarnation
    }

    func cancel(_ sequence: UInt64) {
        requests.removeAll { $0 == sequence }
        note("cancels #\(sequence)", sequence)
        if session.state != .welcomed {
            _ = simulation.oracles.outcome.ended(id(sequence), of: index)
        }
        session.cancel(sequence, into: &effects)
        perform()
    }
}
