// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeSession
import CascadeWire
import Testing

@testable import CascadeConsole

@Suite struct ActionRequestTests {
    // MARK: - Reading

    @Test func `a trigger has the name, payload, origin and deadline of its body`() throws {
        let request = try read(
            .trigger,
            #"{"request":"1","name":"Order","payload":{"a":[1,2.50]},"from":"/shop","deadline":250,"attributes":{"k":"v"}}"#
        )
        guard case .raise(let raising, let options) = request.change else {
            Issue.record("another change: \(request.change)")
            return
        }
        #expect(raising.name == "Order")
        #expect(String(decoding: raising.payload, as: UTF8.self) == #"{"a":[1,2.50]}"#)
        #expect(raising.attributes == [Attribute("k", "v")])
        #expect(options.origin == .outsider("/shop"))
        #expect(options.deadlineMilliseconds == 250)
        #expect(options.flags == .wantsTrail)
        #expect(request.places == ["/shop"])
        #expect(request.subject == "Order at /shop")
    }

    @Test func `a trigger without payload sends no bytes, from the root, as an event`() throws {
        let request = try read(.trigger, #"{"request":"1","name":"Order"}"#)
        guard case .raise(let raising, let options) = request.change,
            case .upward(.event) = options.direction
        else {
            Issue.record("another change: \(request.change)")
            return
        }
        #expect(raising.payload.isEmpty)
        #expect(options.origin == .outsider(.root))
    }

    @Test(arguments: ["event", "error", "request", "cascade"])
    func `a trigger is in the lane of its body`(lane: String) throws {
        let request = try read(.trigger, #"{"request":"1","name":"A","lane":"\#(lane)"}"#)
        guard case .raise(_, let options) = request.change,
            case .upward(let read) = options.direction
        else {
            Issue.record("another change: \(request.change)")
            return
        }
        #expect(read.name == lane)
    }

    @Test func `a publication is retained for its destination`() throws {
        let request = try read(
            .publish, #"{"request":"1","name":"Bell","at":"/shop","to":"all","retain":true}"#)
        guard case .raise(_, let options) = request.change,
            case .down(.all) = options.direction
        else {
            Issue.record("another change: \(request.change)")
            return
        }
        #expect(options.flags == .retained)
        #expect(request.places == ["/shop"])
    }

    @Test func `values are set and unset together, and null is a value`() throws {
        let request = try read(
            .set, #"{"request":"1","at":"/a","values":{"mode":"dark","x":null},"unset":["size"]}"#)
        guard case .set(let path, let settings) = request.change else {
            Issue.record("another change: \(request.change)")
            return
        }
        #expect(path == "/a")
        #expect(
            settings == [
                EnvironmentSetting("mode", #""dark""#), EnvironmentSetting("x", "null"),
                EnvironmentSetting("size", nil),
            ])
    }

    @Test func `a move needs both places`() throws {
        let request = try read(
            .move, #"{"request":"1","path":"/a/b","under":"/c","confirmed":3}"#)
        #expect(request.places == ["/a/b", "/c"])
        #expect(request.confirmed == 3)
        #expect(status(.move, #"{"request":"1","path":"/a/b"}"#) == 400)
    }

    @Test(arguments: [
        (ActionKind.retry, #"{"id":"x"}"#), (.trigger, "{}"), (.trigger, #"{"name":"a b"}"#),
        (.trigger, #"{"name":"A","lane":"up"}"#), (.trigger, #"{"name":"A","from":"shop"}"#),
        (.trigger, #"{"name":"A","deadline":-1}"#), (.trigger, #"{"name":"A","deadline":"1s"}"#),
        (.trigger, #"{"name":"A","attributes":{"k":1}}"#), (.publish, #"{"name":"A","to":"some"}"#),
        (.publish, #"{"name":"A","retain":1}"#), (.set, "{}"), (.set, #"{"values":{"a b":1}}"#),
        (.set, #"{"unset":[1]}"#), (.activate, "{}"), (.deactivate, #"{"path":7}"#),
        (.drain, #"{"path":"/a","subtree":"yes"}"#), (.detach, #"{"path":"//"}"#),
    ])
    func `what is missing or of another form is refused`(kind: ActionKind, body: String) {
        let members = body.dropFirst().isEmpty ? "" : String(body.dropFirst())
        let separator = members == "}" ? "" : ","
        #expect(status(kind, #"{"request":"1"\#(separator)\#(members)"#) == 400)
    }

    @Test func `a request has a name of at most 64 bytes`() {
        let name = String(repeating: "n", count: 64)
        #expect(status(.clear, #"{"request":"\#(name)"}"#) == 200)
        #expect(status(.clear, #"{"request":"\#(name)n"}"#) == 400)
        #expect(status(.clear, #"{"request":""}"#) == 400)
        #expect(status(.clear, "{}") == 400)
    }

    // MARK: - Lists of the command line

    @Test func `a list of actions has known words, and activity has both directions`() {
        #expect(ActionKind.named("retry,clear") == [.retry, .clear])
        #expect(ActionKind.named("activate") == [.activate, .deactivate])
        #expect(
            ActionKind.named(ActionKind.words.joined(separator: ",")) == Set(ActionKind.allCases))
        for list in ["", "retry,", "retry clear", "deactivate", "Retry", "all"] {
            #expect(ActionKind.named(list) == nil, "\(list)")
        }
    }

    // MARK: - Parts

    private func read(_ kind: ActionKind, _ body: String) throws -> ActionRequest {
        try ActionRequest(kind, JSONValue(parsing: body))
    }

    private func status(_ kind: ActionKind, _ body: String) -> Int {
        do {
            _ = try read(kind, body)
            return 200
        } catch {
            return (error as? Refusal)?.status ?? 0
        }
    }
}

@Suite struct ActionLedgerTests {
    private let ledger = ActionLedger()
    private let counter = Counter()

    @Test func `an action that is asked for twice is carried out once`() async throws {
        async let first = ledger.answer(to: key("a")) { await counter.act() }
        async let second = ledger.answer(to: key("a")) { await counter.act() }
        let answers = try await [
            first, second, ledger.answer(to: key("a")) { await counter.act() },
        ]
        #expect(answers == ["1", "1", "1"])
        #expect(try await ledger.answer(to: key("b")) { await counter.act() } == "2")
    }

    @Test func `a request of the same name for something else is another one`() async throws {
        #expect(try await ledger.answer(to: key("a", "x")) { await counter.act() } == "1")
        #expect(try await ledger.answer(to: key("a", "y")) { await counter.act() } == "2")
    }

    @Test func `an action is forgotten after a while, and the oldest for one too many`()
        async throws
    {
        let begin = ContinuousClock.now
        #expect(try await ledger.answer(to: key("a"), now: begin) { await counter.act() } == "1")
        let late = begin + ActionLedger.keptTime
        #expect(try await ledger.answer(to: key("a"), now: late) { await counter.act() } == "1")
        let later = late + .seconds(1)
        #expect(try await ledger.answer(to: key("a"), now: later) { await counter.act() } == "2")
        for number in 1..<ActionLedger.countMax {
            _ = try await ledger.answer(to: key("\(number)"), now: later) { await counter.act() }
        }
        let kept = try await ledger.answer(to: key("a"), now: later) { await counter.act() }
        #expect(kept == "2")
        _ = try await ledger.answer(to: key("over"), now: later) { await counter.act() }
        let again = try await ledger.answer(to: key("a"), now: later) { await counter.act() }
        #expect(again == "\(ActionLedger.countMax + 3)")
    }

    private func key(_ name: String, _ body: String = "") -> ActionLedger.Key {
        ActionLedger.Key(name: name, kind: .retry, body: Array(body.utf8))
    }

    private actor Counter {
        private var count = 0

        func act() async -> Result<String, Refusal> {
            count += 1
            let mine = count
            await Task.yield()
            return .success("\(mine)")
        }
    }
}
