// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// A peer that conforms to the protocol, because it uses a real session. It has one node that handles events
/// and triggers them.
final class ConformingPeer {
    static let credentials = Credentials(processID: 5, userID: 1, groupID: 1)

    let id: PeerID
    private var session: Session
    private let path: NodePath
    private var messages: [[UInt8]] = []
    /// The raised events without an outcome.
    private(set) var underWay: Set<UInt64> = []
    private var hasEnded = false

    private static let greeting = EventName(unchecked: "Greeting")

    init(_ index: Int) {
        id = PeerID(index: UInt32(index), generation: 0)
        path = index == 0 ? "/good" : "/good/child"
        session = Session(
            id: SessionID(high: 3, low: UInt64(index)), program: "good", processID: 5)
    }

    func open() {
        var effects: [SessionEffect] = []
        session.connected(into: &effects)
        let node = NodeDeclaration(
            path: path, responders: [ResponderDeclaration(.handle, Self.greeting)],
            subscriptions: [Self.greeting])
        session.attach([node], names: [Self.greeting], request: 1, into: &effects)
        perform(effects)
    }

    func raise() {
        guard !hasEnded, session.canRaise, session.number(of: path) != nil else {
            return
        }
        var effects: [SessionEffect] = []
        let raising = Raising(name: Self.greeting, payload: Array("1".utf8))
        if let sequence = try? session.raise(
            raising, RaiseOptions(.up, from: .node(path)), into: &effects)
        {
            underWay.insert(sequence)
        }
        perform(effects)
    }

    func receive(_ message: [UInt8]) {
        guard !hasEnded else {
            return
        }
        var effects: [SessionEffect] = []
        do {
            let header = try Header(parsing: message)
            try session.received(header, message.span.bytes, into: &effects)
        } catch {
            preconditionFailure("the broker sent an invalid message: \(error)")
        }
        perform(effects)
    }

    /// Ends the peer after the end of its connection.
    func end() {
        hasEnded = true
        underWay = []
        messages = []
    }

    /// Removes and returns the messages to send.
    func takeMessages() -> [[UInt8]] {
        defer { messages = [] }
        return messages
    }

    private func perform(_ effects: [SessionEffect]) {
        var effects = effects
        var index = 0
        while index < effects.count {
            perform(effects[index], into: &effects)
            index += 1
        }
    }

    private func perform(
        _ effect: SessionEffect, into effects: inout [SessionEffect]
    ) {
        switch effect {
        case .send(let header): messages.append(header.encoded())
        case .sendMessage(let message): messages.append(message)
        case .sendRaised(let header, let fields, let payload):
            messages.append(header.encoded() + fields + payload)
        case .beat(let beat): session.beatAnswered(beat, into: &effects)
        case .invoke(let invocation):
            session.finished(invocation.token, .handled, microseconds: 1, into: &effects)
        case .ended(let header, _): underWay.remove(header.sequence)
        case .raiseRefused(let sequence, _): underWay.remove(sequence)
        case .violated(let violation):
            preconditionFailure("a conforming session is ended: \(violation.sentence)")
        case .reconnect: end()
        default: break
        }
    }
}
