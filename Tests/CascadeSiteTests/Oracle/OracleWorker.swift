// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeTestSupport
import CascadeWire

/// A worker with one node.
final class OracleWorker {
    let node: OracleTree.Node
    let path: NodePath
    let site: Int
    var peer = PeerID(index: 0, generation: 0)
    private var session: Session
    /// How the messages of this worker have ended, by their numbers.
    private var ends: [UInt64: SettledEvent] = [:]
    private var ended: Set<UInt64> = []
    /// The number of the last message.
    private(set) var lastTicket: UInt64 = 0
    /// The visits whose end the worker keeps back, and those that were cancelled meanwhile.
    private(set) var keptBack: [InvocationToken] = []
    private(set) var cancelledCount = 0
    private var lastRequest: UInt64 = 1
    /// The answers to the worker's queries, by their requests, and the refusals of its requests.
    private(set) var answers: [UInt64: [UInt8]] = [:]
    private(set) var refusals: [UInt64: Refused] = [:]
    /// The changes of values and preferences that the worker was told since they were taken last.
    private var changes: [EnvironmentChanges] = []
    /// The declaration of the node, as it was sent last.
    private(set) var declaration: NodeDeclaration
    private var faults: [String] = []

    init(_ node: OracleTree.Node, at path: NodePath, on site: Int, number: Int) {
        self.node = node
        self.path = path
        declaration = node.declaration(at: path)
        self.site = site
        var generator = SeededGenerator(seed: UInt64(number))
        session = Session(
            secret: SessionSecret(using: &generator), program: "worker", processID: 7)
    }

    /// Whether no outcome has arrived since the last message was raised.
    var isWaiting: Bool {
        !ended.contains(lastTicket)
    }

    func start() -> [[UInt8]] {
        var effects: [SessionEffect] = []
        session.connected(into: &effects)
        session.attach([declaration], names: [], request: 1, into: &effects)
        return perform(effects) { _, _ in .passed }
    }

    /// The connection is lost.
    func disconnected() {
        var effects: [SessionEffect] = []
        session.disconnected(into: &effects)
    }

    /// The session resumes on another connection.
    func resume() -> [[UInt8]] {
        var effects: [SessionEffect] = []
        session.connected(into: &effects)
        return perform(effects) { _, _ in .passed }
    }

    func raise(_ raising: Raising, _ lane: Lane, _ flags: HeaderFlags) -> [[UInt8]] {
        raise(raising, RaiseOptions(.upward(lane), from: .node(path), flags: flags))
    }

    func raise(_ raising: Raising, _ options: RaiseOptions) -> [[UInt8]] {
        var effects: [SessionEffect] = []
        do throws(WireError) {
            lastTicket = try session.raise(raising, options, into: &effects)
        } catch {
            faults.append("\(path) cannot raise: \(error)")
        }
        return perform(effects) { _, _ in .passed }
    }

    /// No longer waits for the reply to the last request.
    func cancel() -> [[UInt8]] {
        var effects: [SessionEffect] = []
        session.cancel(lastTicket, into: &effects)
        return perform(effects) { _, _ in .passed }
    }

    /// Ends the visits that were kept back.
    func finishKeptBack(
        _ end: InvocationResult, _ result: (_ responder: Int?, Visit) -> InvocationResult?
    ) -> [[UInt8]] {
        var effects: [SessionEffect] = []
        for token in keptBack {
            session.finished(token, end, microseconds: 0, into: &effects)
        }
        keptBack = []
        return perform(effects, result)
    }

    // MARK: - Requests

    /// Sends a request, whose number `message` gets.
    func ask<Message: WireMessage>(
        _ message: (UInt64) -> Message
    ) -> (request: UInt64, messages: [[UInt8]]) {
        lastRequest += 1
        var effects: [SessionEffect] = []
        session.send(message(lastRequest), into: &effects)
        return (lastRequest, perform(effects) { _, _ in .passed })
    }

    /// Changes the declaration of the node.
    func change(_ update: (inout NodeDeclaration) -> Void) -> [[UInt8]] {
        update(&declaration)
        lastRequest += 1
        var effects: [SessionEffect] = []
        session.change(
            Change(
                request: lastRequest, node: session.number(of: path) ?? 0, declaration: declaration),
            into: &effects)
        return perform(effects) { _, _ in .passed }
    }

    func takeChanges() -> [EnvironmentChanges] {
        defer { changes = [] }
        return changes
    }

    // MARK: - Messages

    /// Processes a message, and returns the answers. A publication has no responder, and a visit without a
    /// result is kept back.
    func receive(
        _ message: [UInt8], _ result: (_ responder: Int?, Visit) -> InvocationResult?
    ) -> [[UInt8]] {
        var effects: [SessionEffect] = []
        do throws(WireError) {
            try session.received(
                Header(parsing: message), message.span.bytes, into: &effects)
        } catch {
            faults.append("\(path) received an invalid message: \(error)")
        }
        return perform(effects, result)
    }

    /// Returns how the last message ended; `nil` if it has not.
    func takeEnd() -> SettledEvent? {
        ends.removeValue(forKey: lastTicket)
    }

    /// Returns how messages have ended since the last call, in the order in which they were raised.
    func takeEnds() -> [(ticket: UInt64, end: SettledEvent)] {
        defer { ends = [:] }
        return ends.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    func takeFaults() -> [String] {
        defer { faults = [] }
        return faults
    }

    private func perform(
        _ effects: [SessionEffect], _ result: (Int?, Visit) -> InvocationResult?
    ) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var pending = effects
        while !pending.isEmpty {
            switch pending.removeFirst() {
            case .send(let header): messages.append(header.encoded())
            case .sendMessage(let message): messages.append(message)
            case .sendRaised(let header, let fields, let payload):
                messages.append(header.encoded() + fields + payload)
            case .invoke(let invocation):
                guard let visit = try? session.visit(invocation.token) else {
                    faults.append("\(path) has an invalid visit")
                    continue
                }
                var responder: Int?
                if case .responder(let index) = invocation.target {
                    responder = index
                }
                if let result = result(responder, visit) {
                    session.finished(invocation.token, result, microseconds: 0, into: &pending)
                } else {
                    keptBack.append(invocation.token)
                }
            case .cancelled(let token):
                cancelledCount += 1
                keptBack.removeAll { $0 == token }
                session.finished(
                    token, .failed(Failure(.cancelled)), microseconds: 0, into: &pending)
            case .ended(let header, let message):
                record(header.sequence, try? session.settled(header, message))
            case .settled(let settled):
                record(settled.ended.sequence, SettledEvent(settled))
            case .raiseRefused(_, let refused): faults.append("\(path): \(refused.sentence)")
            case .refused(let request, let refused): refusals[request] = refused
            case .answered(let request, let message): answers[request] = message
            case .environment(_, let changed): changes.append(changed)
            case .violated(let violation): faults.append("\(path): \(violation.sentence)")
            default: break
            }
        }
        return messages
    }

    private func record(_ ticket: UInt64, _ end: SettledEvent?) {
        guard let end else {
            faults.append("\(path) has an invalid outcome")
            return
        }
        guard ended.insert(ticket).inserted else {
            faults.append("\(path) has a second outcome")
            return
        }
        ends[ticket] = end
    }
}
