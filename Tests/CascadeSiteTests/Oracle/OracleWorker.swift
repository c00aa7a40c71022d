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
    /// How the last message of this worker ended.
    private var end: SettledEvent?
    private var faults: [String] = []

    init(_ node: OracleTree.Node, at path: NodePath, on site: Int, number: Int) {
        self.node = node
        self.path = path
        self.site = site
        var generator = SeededGenerator(seed: UInt64(number))
        session = Session(
            secret: SessionSecret(using: &generator), program: "worker", processID: 7)
    }

    /// Whether no outcome has arrived since the last message was raised.
    var isWaiting: Bool {
        end == nil
    }

    func start() -> [[UInt8]] {
        var effects: [SessionEffect] = []
        session.connected(into: &effects)
        session.attach(
            [NodeDeclaration(path: path, responders: node.responders)], names: [], request: 1,
            into: &effects)
        return perform(effects) { _, _ in .passed }
    }

    func raise(_ raising: Raising, _ lane: Lane, _ flags: HeaderFlags) -> [[UInt8]] {
        end = nil
        var effects: [SessionEffect] = []
        do throws(WireError) {
            _ = try session.raise(
                raising, RaiseOptions(.upward(lane), from: .node(path), flags: flags),
                into: &effects)
        } catch {
            faults.append("\(path) cannot raise: \(error)")
        }
        return perform(effects) { _, _ in .passed }
    }

    /// Processes a message, and returns the answers.
    func receive(
        _ message: [UInt8], _ result: (_ responder: Int, Visit) -> InvocationResult
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

    func takeEnd() -> SettledEvent? {
        defer { end = nil }
        return end
    }

    func takeFaults() -> [String] {
        defer { faults = [] }
        return faults
    }

    private func perform(
        _ effects: [SessionEffect], _ result: (Int, Visit) -> InvocationResult
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
                guard case .responder(let responder) = invocation.target,
                    let visit = try? session.visit(invocation.token)
                else {
                    faults.append("\(path) has an invalid visit")
                    continue
                }
                session.finished(
                    invocation.token, result(responder, visit), microseconds: 0, into: &pending)
            case .ended(let header, let message): record(header, message)
            case .raiseRefused(_, let refused): faults.append("\(path): \(refused.sentence)")
            case .refused(_, let refused): faults.append("\(path): \(refused.sentence)")
            case .violated(let violation): faults.append("\(path): \(violation.sentence)")
            default: break
            }
        }
        return messages
    }

    private func record(_ header: Header, _ message: [UInt8]) {
        guard end == nil else {
            faults.append("\(path) has a second outcome")
            return
        }
        end = try? session.settled(header, message)
        if end == nil {
            faults.append("\(path) has an invalid outcome")
        }
    }
}
