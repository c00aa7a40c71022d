// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeTestSupport
import CascadeWire

/// A worker of a simulated realm: one node, whose visits are handled when their time has come.
final class RealmWorker {
    /// A visit or a delivery, as it was told.
    struct Effect {
        var id: EventID
        var isRedelivered: Bool
    }

    let path: NodePath
    let site: Int
    let declaration: NodeDeclaration
    /// Its connection; `nil` while its bus is away.
    var peer: PeerID?
    private var session: Session
    private(set) var invocations: [(token: InvocationToken, isRequest: Bool)] = []
    private(set) var effects: [Effect] = []
    /// The messages that it has raised, by their numbers.
    private(set) var raised: [UInt64: Raising] = [:]
    /// The numbers of those that are durable.
    private(set) var durable: Set<UInt64> = []
    private(set) var ends: [UInt64: SettledEvent] = [:]
    private(set) var faults: [String] = []

    init(_ declaration: NodeDeclaration, on site: Int, number: UInt64) {
        self.declaration = declaration
        path = declaration.path
        self.site = site
        var generator = SeededGenerator(seed: number)
        session = Session(
            secret: SessionSecret(using: &generator), program: "worker", processID: 7)
    }

    /// The messages without an outcome.
    var pendingCount: Int {
        raised.count - ends.count
    }

    func id(of ticket: UInt64) -> EventID {
        EventID(session: session.id, sequence: ticket)
    }

    // MARK: - Actions

    func start() -> [[UInt8]] {
        act { session, effects in
            session.connected(into: &effects)
            session.attach([declaration], names: [], request: 1, into: &effects)
        }
    }

    /// The bus has begun anew: the session resumes.
    func resume() -> [[UInt8]] {
        act { session, effects in
            session.connected(into: &effects)
        }
    }

    func disconnected() {
        peer = nil
        _ = act { session, effects in
            session.disconnected(into: &effects)
        }
    }

    func raise(_ raising: Raising, _ options: RaiseOptions) -> [[UInt8]] {
        act { session, effects in
            guard session.canRaise else {
                return
            }
            do throws(WireError) {
                let ticket = try session.raise(raising, options, into: &effects)
                raised[ticket] = raising
                if options.isDurable {
                    durable.insert(ticket)
                }
            } catch {
                faults.append("\(path) cannot raise: \(error)")
            }
        }
    }

    /// Handles the oldest visit.
    func handleNext() -> [[UInt8]] {
        guard !invocations.isEmpty else {
            return []
        }
        let (token, isRequest) = invocations.removeFirst()
        return act { session, effects in
            session.finished(
                token, isRequest ? .answered(Reply(payload: [])) : .handled, microseconds: 0,
                into: &effects)
        }
    }

    func receive(_ message: [UInt8]) -> [[UInt8]] {
        act { session, effects in
            do throws(WireError) {
                try session.received(
                    Header(parsing: message), message.span.bytes, into: &effects)
            } catch {
                faults.append("\(path) received an invalid message: \(error)")
            }
        }
    }

    // MARK: - Effects

    private func act(_ change: (inout Session, inout [SessionEffect]) -> Void) -> [[UInt8]] {
        var pending: [SessionEffect] = []
        change(&session, &pending)
        var messages: [[UInt8]] = []
        while !pending.isEmpty {
            switch pending.removeFirst() {
            case .send(let header): messages.append(header.encoded())
            case .sendMessage(let message): messages.append(message)
            case .sendRaised(let header, let fields, let payload):
                messages.append(header.encoded() + fields + payload)
            case .invoke(let invocation): begin(invocation.token)
            case .cancelled(let token):
                invocations.removeAll { $0.token == token }
                session.finished(
                    token, .failed(Failure(.cancelled)), microseconds: 0, into: &pending)
            case .ended(let header, let message):
                if let settled = try? session.settled(header, message) {
                    record(settled, of: header.sequence)
                } else {
                    faults.append("\(path) has an invalid outcome")
                }
            case .settled(let settled):
                record(SettledEvent(settled), of: settled.ended.sequence)
            case .raiseRefused(_, let refused): faults.append("\(path): \(refused.sentence)")
            case .refused(_, let refused): faults.append("\(path): \(refused.sentence)")
            case .violated(let violation): faults.append("\(path): \(violation.sentence)")
            default: break
            }
        }
        return messages
    }

    private func begin(_ token: InvocationToken) {
        guard let visit = try? session.visit(token) else {
            faults.append("\(path) has an invalid visit")
            return
        }
        effects.append(Effect(id: visit.id, isRedelivered: visit.isRedelivered))
        invocations.append((token, visit.lane == .request))
    }

    private func record(_ settled: SettledEvent, of ticket: UInt64) {
        if ends.updateValue(settled, forKey: ticket) != nil {
            faults.append("\(path) has a second outcome of \(ticket)")
        }
    }
}
