// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct ResponderTests {
    private struct LegacySelected: Event {
        let sku: String
    }

    private struct Renamed: Event {
        static let name = "shop.renamed"
    }

    /// The outcome of an event that is triggered at `path`.
    private func outcome(
        of event: some Event = ItemSelected(), at path: NodePath = "/shop",
        @NodeBuilder _ nodes: () -> [Node]
    ) async throws -> Outcome {
        try await LoopbackBus(mount: .root, nodes: nodes).run { bus in
            try await bus.trigger(event, from: path).outcome
        }
    }

    // MARK: - Kinds

    @Test func `a handler ends the event and receives its typed value`() async throws {
        let journal = Journal()
        let outcome = try await outcome(of: ItemSelected(item: 9)) {
            Node("shop").handle(ItemSelected.self) { await journal.note("item \($0.item)") }
        }
        #expect(outcome == .handled(by: "/shop"))
        #expect(await journal.entries == ["item 9"])
    }

    @Test func `a receiver handles an event or passes it on`() async throws {
        let shop = Node("shop") {
            Node("shelf").receive(ItemSelected.self) { $0.item < 5 ? .handled : .notHandled }
        }
        .receive(ItemSelected.self) { _ in .handled }
        #expect(
            try await outcome(of: ItemSelected(item: 1), at: "/shop/shelf") { shop }
                == .handled(by: "/shop/shelf"))
        #expect(
            try await outcome(of: ItemSelected(item: 9), at: "/shop/shelf") { shop }
                == .handled(by: "/shop"))
    }

    @Test func `a transform replaces the event for all later responders`() async throws {
        let journal = Journal()
        let outcome = try await outcome(of: LegacySelected(sku: "12"), at: "/shop/shelf") {
            Node("shop") {
                Node("shelf")
                    .transform(LegacySelected.self) { ItemSelected(item: Int($0.sku) ?? 0) }
                    .handle(LegacySelected.self) { _ in await journal.note("legacy") }
            }
            .handle(ItemSelected.self) { await journal.note("item \($0.item)") }
        }
        #expect(outcome == .handled(by: "/shop"))
        #expect(await journal.entries == ["item 12"])
    }

    @Test func `a replaced event keeps its attributes`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("shelf").transform(LegacySelected.self) { _ in ItemSelected() }
            }
            .handle { await journal.note("\($0.name) \($0.attributes)") }
        }
        try await bus.run { bus in
            let event = LegacySelected(sku: "1")
            _ = try await bus.trigger(event, from: "/shop/shelf", attributes: ["a": "b"]).outcome
        }
        #expect(await journal.entries == [#"ItemSelected ["a": "b"]"#])
    }

    @Test func `an observer sees the event without handling it`() async throws {
        let journal = Journal()
        let outcome = try await outcome {
            Node("shop").observe(ItemSelected.self) { await journal.note("item \($0.item)") }
        }
        #expect(outcome == .unhandled)
        #expect(await journal.entries == ["item 7"])
    }

    @Test func `responders without a type see events of every name with their payload`()
        async throws
    {
        let journal = Journal()
        let outcome = try await outcome(at: "/shop/a/b") {
            Node("shop") {
                Node("a") {
                    Node("b").observe { await journal.note("\($0.name)") }
                }
                .receive { event in
                    await journal.note(String(decoding: event.payload, as: UTF8.self))
                    return .notHandled
                }
            }
            .handle { await journal.note("\(try $0.decoded(as: ItemSelected.self).item)") }
        }
        #expect(outcome == .handled(by: "/shop"))
        #expect(await journal.entries == ["ItemSelected", #"{"item":7}"#, "7"])
    }

    @Test func `an event without a type has the ID and the origin that the sender knows`()
        async throws
    {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") { Node("shelf") }
                .handle { await journal.note("\($0.id) from \($0.origin)") }
        }
        try await bus.run { bus in
            let event = try await bus.trigger(ItemSelected(), from: "/shop/shelf")
            _ = try await event.outcome
            #expect(try await journal.entries(1) == ["\(event.id) from /shop/shelf"])
        }
    }

    @Test func `a transform without a type replaces events of every name`() async throws {
        let outcome = try await outcome(at: "/shop/a") {
            Node("shop") {
                Node("a").transform { event in
                    PriceChanged(price: try event.decoded(as: ItemSelected.self).item)
                }
            }
            .receive(PriceChanged.self) { $0.price == 7 ? .handled : .notHandled }
        }
        #expect(outcome == .handled(by: "/shop"))
    }

    @Test func `an event has the name that its type declares`() async throws {
        let outcome = try await outcome(of: Renamed()) {
            Node("shop").receive { $0.name.description == "shop.renamed" ? .handled : .notHandled }
        }
        #expect(outcome == .handled(by: "/shop"))
    }

    // MARK: - Order

    @Test func `the name of a generic event is refused, with the advice to declare one`()
        async throws
    {
        struct Changed<Value: Codable & Sendable>: Event {
            let value: Value
        }
        try await LoopbackBus(mount: .root) { Node("shop") }.run { bus in
            await #expect {
                try await bus.trigger(Changed(value: 1), from: "/shop")
            } throws: {
                let error = $0 as? CascadeError
                return error?.code == .badName
                    && error?.message.hasPrefix("the name 'Changed<Int>' is not valid") == true
                    && error?.message.contains("'static let name'") == true
            }
        }
    }

    @Test func `responders are asked nearest first, and within a node as declared`() async throws {
        let journal = Journal()
        let outcome = try await outcome(at: "/shop/floor/shelf") {
            Node("shop") {
                Node("floor") {
                    Node("shelf")
                        .observe(ItemSelected.self) { _ in await journal.note("shelf 1") }
                        .observe { _ in await journal.note("shelf 2") }
                        .receive(ItemSelected.self) { _ in
                            await journal.note("shelf 3")
                            return .notHandled
                        }
                }
                .observe(ItemSelected.self) { _ in await journal.note("floor") }
            }
            .handle(ItemSelected.self) { _ in await journal.note("shop 1") }
            .handle(ItemSelected.self) { _ in await journal.note("shop 2") }
        }
        #expect(outcome == .handled(by: "/shop"))
        #expect(
            await journal.entries == ["shelf 1", "shelf 2", "shelf 3", "floor", "shop 1"])
    }

    @Test func `responders of several processes are asked nearest first`() async throws {
        let journal = Journal()
        let bus = LoopbackBus {
            LoopbackProcess(mount: "/shop/floor") {
                Node("shelf").observe(ItemSelected.self) { _ in await journal.note("shelf") }
            }
            Node("shop").handle(ItemSelected.self) { _ in await journal.note("shop") }
            LoopbackProcess(mount: "/shop") {
                Node("floor").observe(ItemSelected.self) { _ in await journal.note("floor") }
            }
        }
        let outcome = try await bus.run { bus in
            try await bus.trigger(ItemSelected(), from: "/shop/floor/shelf").outcome
        }
        #expect(outcome == .handled(by: "/shop"))
        #expect(await journal.entries == ["shelf", "floor", "shop"])
    }

    @Test func `a responder for another name and a sibling's responder are not asked`() async throws
    {
        let journal = Journal()
        let outcome = try await outcome(at: "/shop/shelf") {
            Node("shop") {
                Node("shelf").handle(PriceChanged.self) { _ in await journal.note("shelf") }
                Node("counter").handle(ItemSelected.self) { _ in await journal.note("counter") }
            }
        }
        #expect(outcome == .unhandled)
        #expect(await journal.entries.isEmpty)
    }

    @Test func `events of one origin are handled in their order`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop").handle(ItemSelected.self) { await journal.note("\($0.item)") }
        }
        try await bus.run { bus in
            var last: RaisedEvent?
            for item in 1...100 {
                last = try await bus.trigger(ItemSelected(item: item), from: "/shop")
            }
            #expect(try await last?.outcome == .handled(by: "/shop"))
        }
        #expect(await journal.entries == (1...100).map(String.init))
    }

    // MARK: - Failures

    @Test func `a thrown error fails the event with the error's name, message and node`()
        async throws
    {
        let outcome = try await outcome(at: "/shop/shelf") {
            Node("shop") {
                Node("shelf").handle(ItemSelected.self) { _ in throw SoldOut() }
            }
            .handle(ItemSelected.self) { _ in }
        }
        guard case .failed(let failure) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(failure.name.description == "SoldOut")
        #expect(failure.message == "nothing is left")
        #expect(failure.node == "/shop/shelf")
    }

    @Test func `a payload of another type fails the event`() async throws {
        struct Selected: Event {
            static let name = "ItemSelected"
            let item: String
        }
        let outcome = try await outcome(of: Selected(item: "seven")) {
            Node("shop").handle(ItemSelected.self) { _ in }
        }
        guard case .failed(let failure) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(failure.name.description == "CascadeError")
        let message = try #require(failure.message)
        #expect(
            message.hasPrefix(
                "the payload cannot be decoded as 'ItemSelected': 'item': expected to decode Int "),
            "\(message)")
        #expect(!message.contains("DecodingError") && !message.contains("CodingKeys"))
    }

    @Test func `a payload without a member fails the event, and the message names the member`()
        async throws
    {
        struct Selected: Event {
            static let name = "ItemSelected"
        }
        let outcome = try await outcome(of: Selected()) {
            Node("shop").handle(ItemSelected.self) { _ in }
        }
        guard case .failed(let failure) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(
            failure.message == "the payload cannot be decoded as 'ItemSelected': 'item' is missing")
    }

    @Test func `an observer that cannot decode the event does not stop it`() async throws {
        struct Selected: Event {
            static let name = "ItemSelected"
            let item: String
        }
        let outcome = try await outcome(of: Selected(item: "seven")) {
            Node("shop")
                .observe(ItemSelected.self) { _ in Issue.record("the payload cannot be decoded") }
                .handle { _ in }
        }
        #expect(outcome == .handled(by: "/shop"))
    }

    @Test func `a replacement with an invalid name fails the event and is quoted`() async throws {
        struct Bad: Event {
            static let name = "no name"
        }
        let outcome = try await outcome {
            Node("shop").transform(ItemSelected.self) { _ in Bad() }
        }
        guard case .failed(let failure) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(failure.name.description == "CascadeError")
        #expect(failure.message?.contains("no name") == true)
    }
}
