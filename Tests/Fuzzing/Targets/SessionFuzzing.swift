// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// Runs a worker's session with a daemon that sends arbitrary bytes.
enum SessionFuzzing {
    static func run(_ bytes: [UInt8]) {
        var worker = FuzzedWorker()
        var source = ByteSource(bytes)
        while let message = source.block() {
            worker.receive(message)
            if message.count % 3 == 0 {
                worker.raise()
            }
        }
        worker.disconnect()
    }
}

/// A worker with two nodes. It triggers events, and answers visits immediately, alternately passed and
/// handled.
struct FuzzedWorker: ~Copyable {
    private var session = Session(
        id: SessionID(high: 1, low: 2), program: "fuzzed", processID: 3)
    private var isAnswering = false

    init() {
        var effects: [SessionEffect] = []
        session.connected(into: &effects)
        var nodes: [NodeDeclaration] = []
        for path in ["/kitchen", "/kitchen/oven"] as [NodePath] {
            nodes.append(
                NodeDeclaration(
                    path: path,
                    responders: [
                        ResponderDeclaration(.receive, nil),
                        ResponderDeclaration(.handleError, nil),
                    ], subscriptions: [EventName(unchecked: "MenuChanged")]))
        }
        session.attach(nodes, names: [], request: 1, into: &effects)
        perform(effects)
    }

    mutating func receive(_ message: [UInt8]) {
        guard let header = try? Header(parsing: message) else {
            return
        }
        var effects: [SessionEffect] = []
        do {
            try session.received(header, message.span.bytes, into: &effects)
        } catch {
            session.disconnected(into: &effects)
        }
        perform(effects)
    }

    mutating func raise() {
        guard session.canRaise else {
            return
        }
        var effects: [SessionEffect] = []
        let raising = Raising(name: EventName(unchecked: "OrderReady"), payload: [0x31])
        _ = try? session.raise(
            raising, RaiseOptions(.up, from: .node("/kitchen/oven")), into: &effects)
        perform(effects)
    }

    mutating func disconnect() {
        var effects: [SessionEffect] = []
        session.disconnected(into: &effects)
    }

    private mutating func perform(_ effects: [SessionEffect]) {
        var effects = effects
        var index = 0
        while index < effects.count {
            switch effects[index] {
            case .reconnect: session.connected(into: &effects)
            case .beat(let beat): session.beatAnswered(beat, into: &effects)
            case .invoke(let invocation): answer(invocation, into: &effects)
            case .ended(let header, let message):
                if header.fieldsLength > 0 {
                    _ = try? OutcomeMessage(header: header, fields: header.fields(of: message))
                }
            default: break
            }
            index += 1
        }
    }

    private mutating func answer(
        _ invocation: Invocation, into effects: inout [SessionEffect]
    ) {
        let visit = try? session.visit(invocation.token)
        isAnswering.toggle()
        let result: InvocationResult = isAnswering || visit == nil ? .passed : .handled
        session.finished(invocation.token, result, microseconds: 1, into: &effects)
    }
}
