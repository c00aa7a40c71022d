// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession
import Glibc
import ZeroMQ

/// A process of a benchmark with a node on the bus.
protocol BenchWorker {
    var endpoint: String { get }

    /// Serves until the benchmark ends.
    func run<Connection: WorkerConnection & ~Copyable>(
        _ connection: consuming Connection
    ) throws
}

extension BenchWorker {
    /// Serves on a connection to the endpoint.
    func run() throws {
        if BusLink.isBuiltin(for: endpoint) {
            try run(LocalConnection(endpoint: endpoint))
        } else {
            try run(
                ZeroMQConnection(
                    endpoint: endpoint, context: Context(maxSockets: 8),
                    keys: BusKeys.standard(for: endpoint)))
        }
    }
}

/// A session on the calling thread, without tasks or actors, as in a worker in another language.
struct BenchClient<Connection: WorkerConnection & ~Copyable>: ~Copyable {
    private var connection: Connection
    private var session: Session
    private var effects: [SessionEffect] = []
    private var isAttached = false
    /// Whether the last attempt to receive found a message.
    private var mayHaveMore = true

    /// The invocations that have arrived and are not finished, in order.
    private(set) var invocations: [Invocation] = []
    /// The number of outcomes received.
    private(set) var endedCount = 0
    /// The last outcome received.
    private(set) var lastOutcome = OutcomeCode.unhandled

    /// - Parameter connection: a connection that is open.
    init(_ connection: consuming Connection) {
        var generator = SystemRandomNumberGenerator()
        self.connection = connection
        session = Session(
            secret: SessionSecret(using: &generator), program: "cascadectl bench",
            processID: UInt32(getpid()))
    }

    /// Attaches one node and waits until it is in the tree.
    mutating func attach(_ declaration: NodeDeclaration) throws {
        session.attach(
            [declaration], names: [try EventName(BenchPlan.eventName)], request: 1, into: &effects)
        perform()
        while !isAttached {
            try wait()
        }
    }

    /// Whether the bus's credit allows another message.
    var canRaise: Bool {
        session.canRaise
    }

    mutating func raise(_ raising: Raising, _ options: RaiseOptions) throws {
        do throws(WireError) {
            _ = try session.raise(raising, options, into: &effects)
        } catch {
            throw Stop(.tryAgain, error.description)
        }
        perform()
    }

    /// Finishes all invocations that have arrived, each with the `result` for its payload.
    mutating func finishAll(_ result: (UnsafeRawBufferPointer) -> InvocationResult) {
        var index = 0
        while index < invocations.count {
            let token = invocations[index].token
            session.finished(
                token, session.withPayload(token, result), microseconds: 0, into: &effects)
            perform()
            index += 1
        }
        invocations.removeAll(keepingCapacity: true)
    }

    /// Sends queued messages, then processes all available ones; waits for one if there was none at
    /// the last call.
    mutating func wait() throws {
        connection.flush()
        connection.beginTurn(waiting: !mayHaveMore && !connection.hasWork)
        var count = 0
        mayHaveMore = true
        while mayHaveMore, count < 256 {
            mayHaveMore = try receive()
            count += mayHaveMore ? 1 : 0
        }
        while let change = try connection.change() {
            switch change {
            case .ready:
                session.connected(into: &effects)
                perform()
            case .broken, .refused, .noBusFound, .keyRejected:
                stop("the bus has ended the connection")
            }
        }
    }

    /// Receives and processes one message. Returns `false` if none has arrived.
    private mutating func receive() throws -> Bool {
        guard let header = try connection.receive() else {
            return false
        }
        try session.received(header, connection.message.bytes, into: &effects)
        perform()
        return true
    }

    private mutating func perform() {
        guard !effects.isEmpty else {
            return
        }
        var index = 0
        while index < effects.count {
            perform(effects[index])
            index += 1
        }
        effects.removeAll(keepingCapacity: true)
    }

    private mutating func perform(_ effect: SessionEffect) {
        switch effect {
        case .send(let header): connection.send(header, fields: [], payload: [])
        case .sendMessage(let message): connection.send(message)
        case .sendRaised(let header, let fields, let payload):
            connection.send(header, fields: fields, payload: payload)
        case .invoke(let invocation): invocations.append(invocation)
        case .ended(let header, _):
            endedCount += 1
            lastOutcome = OutcomeCode(rawValue: header.code) ?? .failed
        case .settled(let settled):
            endedCount += 1
            lastOutcome = settled.ended.code
        case .beat(let beat): session.beatAnswered(beat, into: &effects)
        case .attached: isAttached = true
        case .refused(_, let refused): stop(refused.sentence)
        case .violated(let violation): stop(violation.sentence)
        case .raiseRefused(_, let refused): stop(refused.sentence)
        case .welcomed, .done, .detached, .answered, .creditReturned, .reconnect, .cancelled,
            .environment, .accepted, .settledBefore,
            .moved:
            break
        }
    }

    /// Ends the process with an error. Without the bus nothing can be measured.
    private func stop(_ sentence: String) {
        Output.diagnostic("bench: \(sentence)")
        exit(1)
    }
}
