// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession
import Glibc
import ZeroMQ

/// A session on the calling thread, without tasks or actors: the shortest way to the bus, as a
/// worker in another language would have it.
final class BenchClient {
    private let context: Context
    private let connection: Connection
    private var session: Session
    private var poller = Poller()
    private var effects: [SessionEffect] = []
    private var isAttached = false

    /// Invocations that have come and are not yet taken.
    private(set) var invocations: [Invocation] = []
    /// How many outcomes have come.
    private(set) var endedCount = 0
    private(set) var lastOutcome = OutcomeCode.unhandled

    init(endpoint: String) throws {
        var generator = SystemRandomNumberGenerator()
        context = try Context(maxSockets: 8)
        connection = Connection(endpoint: endpoint, context: context)
        session = Session(
            id: SessionID(using: &generator), program: "cascadectl bench",
            processID: UInt32(getpid()))
        try connection.open()
        for item in connection.pollItems.prefix(1) {
            poller.add(item)
        }
        session.connected(into: &effects)
        perform()
    }

    /// Attaches one node and waits until it stands in the tree.
    func attach(_ declaration: NodeDeclaration) throws {
        session.attach(
            [declaration], names: [try EventName(BenchOptions.name)], request: 1, into: &effects)
        perform()
        while !isAttached {
            try wait()
        }
    }

    var canRaise: Bool {
        session.canRaise
    }

    func raise(_ raising: Raising, _ options: RaiseOptions) {
        _ = session.raise(raising, options, into: &effects)
        perform()
    }

    /// Ends all invocations that have come.
    func finishAll(_ result: (Invocation) -> InvocationResult) {
        var index = 0
        while index < invocations.count {
            session.finished(
                invocations[index].token, result(invocations[index]), microseconds: 0,
                into: &effects)
            perform()
            index += 1
        }
        invocations.removeAll(keepingCapacity: true)
    }

    /// Takes all messages that are there; sleeps until there is one if there is none.
    func wait() throws {
        if try !take() {
            _ = try poller.wait(timeoutMilliseconds: -1)
            _ = try take()
        }
    }

    /// Takes all messages that are there. Returns whether there were any.
    func take() throws -> Bool {
        var count = 0
        while count < 256, let (message, itinerary) = try connection.receive() {
            try session.received(
                Header(parsing: message), message, itinerary: itinerary, into: &effects)
            perform()
            count += 1
        }
        return count > 0
    }

    private func perform() {
        var index = 0
        while index < effects.count {
            perform(effects[index])
            index += 1
        }
        effects.removeAll(keepingCapacity: true)
    }

    private func perform(_ effect: SessionEffect) {
        switch effect {
        case .send(let header): connection.send(header)
        case .sendMessage(let message): connection.send(message)
        case .sendRaised(let header, let fields, let payload):
            connection.send(header, fields: fields, payload: payload)
        case .invoke(let invocation): invocations.append(invocation)
        case .ended(let ended):
            endedCount += 1
            lastOutcome = ended.code
        case .beat(let beat): session.beatAnswered(beat, into: &effects)
        case .attached: isAttached = true
        case .refused(_, let refused): stop(refused.sentence)
        case .violated(let violation): stop(violation.sentence)
        case .raiseRefused(_, let refused): stop(refused.sentence)
        case .welcomed, .done, .detached, .answered, .creditReturned, .reconnect: break
        }
    }

    /// A bench that the bus does not go along with measures nothing.
    private func stop(_ sentence: String) {
        fputs("cascadectl bench: \(sentence)\n", stderr)
        exit(1)
    }
}
