// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// Performs the session's effects.
extension SimulatedProcess {
    func perform(_ effect: SessionEffect) {
        switch effect {
        case .send(let header): send(header, header.encoded())
        case .sendMessage(let message): send(message)
        case .sendRaised(let header, let fields, let payload):
            send(header, header.encoded() + fields + payload)
        case .reconnect: reconnect()
        case .invoke(let invocation): invoke(invocation)
        case .beat(let beat): session.beatAnswered(beat, into: &effects)
        case .ended(let header, let message): checkOutcome(header, message)
        case .raiseRefused(let sequence, let refused):
            log("#\(sequence) is refused: \(refused.sentence)", sequence)
            simulation.addFinding(
                simulation.oracles.outcome.ended(id(sequence), of: index))
        case .attached(let request): addNodes(of: request)
        case .done(let request):
            simulation.oracles.answer.answered(request, to: index)
            applyChange(request)
            if request == leaving {
                simulation.log("process \(index) has left", session: session.id)
                end()
                if simulation.isFaulty {
                    simulation.plan(.startProcess(index), afterMilliseconds: 100)
                }
            }
        case .refused(let request, let refused): applyRefusal(of: request, refused)
        case .detached(let detached):
            nodes.removeAll { $0 == detached.path }
            simulation.oracles.activation.detached(detached.path, of: index)
            environment[detached.path] = nil
            log("\(detached.path) is detached: \(detached.reason)")
        case .moved(let old, let new): moveNode(from: old, to: new)
        case .creditReturned: raiseBacklog()
        case .violated(let violation):
            log("the daemon has ended the session: \(violation.code), \(violation.sentence)")
        case .answered(let request, _):
            simulation.oracles.answer.answered(request, to: index)
        case .cancelled(let token):
            invoked[token]?.isCancelled = true
            if let attempt = invoked[token]?.attempt {
                simulation.oracles.repetition.cancelled(attempt)
            }
        case .environment(let path, let changes): apply(changes, at: path)
        case .settled(let settled):
            simulation.count(.outcome)
            log("durable #\(settled.ended.sequence) has ended", settled.ended.sequence)
            simulation.addFinding(
                simulation.oracles.outcome.ended(id(settled.ended.sequence), of: index))
        case .welcomed, .accepted, .settledBefore: break
        }
    }

    /// Removes the values of keys that a node no longer watches after a confirmed change.
    private func applyChange(_ request: UInt64) {
        if let declaration = changing.removeValue(forKey: request) {
            let assignments = declaration.assignments
            let watched = Set(
                assignments.watchedKeys.map(\.description)
                    + assignments.watchedPreferences.map { "^\($0)" })
            environment[declaration.path] = environment[declaration.path]?
                .filter { watched.contains($0.key) }
        }
    }

    private func apply(_ changes: EnvironmentChanges, at path: NodePath) {
        if changes.isSnapshot {
            environment[path] = [:]
        }
        for change in changes.changes {
            let key = (change.isPreference ? "^" : "") + change.key.description
            environment[path, default: [:]][key] = change.new
        }
    }

    func id(_ sequence: UInt64) -> EventID {
        EventID(session: session.id, sequence: sequence)
    }

    func log(_ text: @autoclosure () -> String, _ sequence: UInt64? = nil) {
        simulation.log(
            "process \(index): \(text())", event: sequence.map(id), session: session.id)
    }

    private func send(_ header: Header, _ original: [UInt8]) {
        var message = original
        switch header.command {
        case .verdict where simulation.triggers(.lostVerdict):
            return
        case .verdict where simulation.triggers(.forgedVerdict):
            write(Header.verdict(header, of: header.id ^ 1), over: &message)
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
            if header.flags.contains(.sentAgain) {
                tamperResent(header, &message)
            }
        default: break
        }
        simulation.send(message, .up, by: connection)
    }

    private func write(_ header: Header, over message: inout [UInt8]) {
        message.replaceSubrange(..<Header.byteCount, with: header.encoded())
    }

    private func tamperResent(_ header: Header, _ message: inout [UInt8]) {
        var header = header
        if simulation.triggers(.unmarkedEvent) {
            header.flags.remove(.sentAgain)
        }
        if simulation.triggers(.renumberedEvent) {
            header.sequence += 1000
        }
        write(header, over: &message)
    }

    /// Sends a message of a less frequent command.
    private func send(_ message: [UInt8]) {
        var sent = message
        if simulation.options.bug == .forgottenNode,
            var attach = try? Attach(parsing: message), attach.request == .max,
            simulation.triggers(.forgottenNode)
        {
            attach.nodes.removeLast()
            sent = attach.encoded()
        }
        if simulation.options.bug == .forgottenRank, var attach = try? Attach(parsing: message),
            attach.request == .max, simulation.triggers(.forgottenRank)
        {
            for index in attach.nodes.indices {
                attach.nodes[index].activation = nil
            }
            sent = attach.encoded()
        }
        if simulation.options.bug == .otherSession, var hello = try? Hello(parsing: message),
            hello.isResumed, simulation.triggers(.otherSession)
        {
            hello.session = SessionID(high: 1, low: 1)
            hello.secret = nil
            sent = hello.encoded()
        }
        simulation.send(sent, .up, by: connection)
    }

    private func checkOutcome(_ header: Header, _ message: [UInt8]) {
        if header.flags.contains(.carriesReply) {
            simulation.addFinding(
                PayloadOracle.replied(
                    Array(header.payload(of: message)), to: id(header.sequence)))
        }
        if header.code == OutcomeCode.unhandled.rawValue, simulation.unhandled.count < 200 {
            simulation.unhandled.append(id(header.sequence))
        }
        simulation.count(.outcome)
        log("outcome \(header.code) of #\(header.sequence)", header.sequence)
        requests.removeAll { $0 == header.sequence }
        simulation.addFinding(simulation.oracles.outcome.ended(id(header.sequence), of: index))
        if OutcomeCode(rawValue: header.code) == nil {
            simulation.addFinding(
                Finding(
                    "outcome", "there is no outcome \(header.code)", event: id(header.sequence)))
        }
    }

    // MARK: - Nodes

    /// Assigns the number of the next request, and reports to the oracle that it must be answered.
    func beginRequest(_ kind: String) {
        lastRequest += 1
        simulation.oracles.answer.requested(
            lastRequest, kind, by: index, at: simulation.now)
    }

    func attach(_ declaration: NodeDeclaration) {
        beginRequest("attach")
        attaching[lastRequest] = [declaration]
        simulation.oracles.activation.requested(declaration.path, by: index)
        session.attach(
            [declaration], names: declaration.subscriptions + SimulationPlan.eventNames.prefix(3),
            request: lastRequest, into: &effects)
    }

    private func addNodes(of request: UInt64) {
        simulation.oracles.answer.answered(request, to: index)
        for declaration in attaching.removeValue(forKey: request) ?? [] {
            log("\(declaration.path) is attached")
            nodes.append(declaration.path)
            simulation.oracles.activation.attached(declaration.path, of: index)
            responders[declaration.path] = declaration.responders
        }
    }

    /// Reacts to a refusal. A refused attachment is tried again unless a limit was reached, because the
    /// place may become vacant.
    private func applyRefusal(of request: UInt64, _ refused: Refused) {
        log("refused: \(refused.sentence)")
        simulation.oracles.answer.answered(request, to: index)
        if request == session.reattachRequest {
            crash()
        } else if attaching.removeValue(forKey: request) != nil, refused.code != .limitReached {
            simulation.plan(.attachAgain(index, incarnation: incarnation), afterMilliseconds: 200)
        } else if request == leaving {
            end()
        }
    }

    /// Attaches the declared nodes that are neither attached nor being attached.
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

    private func moveNode(from old: NodePath, to new: NodePath) {
        log("\(old) is moved to \(new)")
        simulation.oracles.activation.exempt(old)
        simulation.oracles.activation.exempt(new)
        if let index = nodes.firstIndex(of: old) {
            nodes[index] = new
        }
        responders[new] = responders.removeValue(forKey: old)
        environment[new] = environment.removeValue(forKey: old)
        for (request, declaration) in changing where declaration.path == old {
            changing[request]?.path = new
        }
    }
}

extension Header {
    /// Returns the same verdict for another delivery.
    fileprivate static func verdict(_ header: Header, of delivery: UInt64) -> Header {
        var other = header
        other.id = delivery
        return other
    }
}
