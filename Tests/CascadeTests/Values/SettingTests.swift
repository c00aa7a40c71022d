// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// Values that nodes set, and their readers.
@Suite(.timeLimit(.minutes(1))) struct SettingTests {
    /// A node that reports the values it reads for each event.
    private struct Reader: NodeConvertible {
        @Environment(\.copies) var copies
        @Environment(\.paperSize) var paperSize
        var name = "reader"
        let journal: Journal

        var node: Node {
            Node(name).handle(ItemSelected.self) { _ in
                await journal.note("\(copies) \(paperSize)")
            }
        }
    }

    private let journal = Journal()

    private func read(
        _ bus: LoopbackBus, _ path: NodePath = "/shop/reader"
    ) async throws -> String {
        let count = await journal.entries.count
        _ = try await bus.trigger(ItemSelected(), from: path).outcome
        return try await journal.entries(count + 1)[count]
    }

    @Test func `a node reads the nearest value set above it, or the default`() async throws {
        let bus = LoopbackBus {
            Node("shop").environment(\.copies, 2).environment(\.copies, 3)
            LoopbackProcess(mount: "/shop") {
                Reader(journal: journal)
                Node("office") { Reader(journal: journal) }.environment(\.copies, 4)
            }
        }
        try await bus.run { bus in
            let found = try await read(bus)
            #expect(found == "3 a4")
            let other = try await read(bus, "/shop/office/reader")
            #expect(other == "4 a4")
        }
    }

    @Test func `a worker with a value above the bus's limit ends with 78, the key and both sizes`()
        async throws
    {
        let bus = LoopbackBus { Node("shop") }
        try await bus.run { bus in
            await #expect {
                try await bus.attach(mount: "/shop") {
                    Node("office").environment(\.greeting, String(repeating: "x", count: 70_000))
                }
            } throws: {
                let error = $0 as? CascadeError
                return error?.exitStatus == 78 && error?.reason == .limitReached
                    && error?.message == "the value of 'shop.greeting' at '/shop/office' has "
                        + "70002 bytes, more than 65536 (limit valueBytes of the bus)"
            }
        }
    }

    @Test func `a node reads its own value only with the scope itself`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Reader(name: "shop", journal: journal).node
                .watch(\.copies, \.paperSize)
                .environment(\.copies, 2)
                .environment(\.paperSize, .a3, scope: .itself)
        }
        try await bus.run { bus in
            let found = try await read(bus, "/shop")
            #expect(found == "1 a3")
        }
    }

    /// A node that sets values for each event it handles.
    private func setter(_ set: @escaping @Sendable () async throws -> Void) -> Node {
        Node("shop").handle(PriceChanged.self) { _ in try await set() }
    }

    @Test func `values set at run time are read by descendants`() async throws {
        @Environment(\.setEnvironment) var set
        let bus = LoopbackBus {
            setter {
                try await set {
                    $0.copies += 4
                    $0.copies += 4
                    $0.paperSize = .letter
                }
                try await set.unset(\.paperSize)
                // Nothing is set now.
                try await set.unset(\.paperSize)
                try await set(\.paperSize, .a3)
            }
            LoopbackProcess(mount: "/shop") { Reader(journal: journal) }
        }
        try await bus.run { bus in
            #expect(try await read(bus) == "1 a4")
            _ = try await bus.trigger(PriceChanged(), from: "/shop").outcome
            #expect(try await read(bus) == "9 a3")
        }
    }

    @Test func `a publication after a change is handled with the changed value`() async throws {
        @Environment(\.setEnvironment) var set
        @Environment(\.publisher) var publisher
        @Environment(\.copies) var copies
        let journal = journal
        let bus = LoopbackBus {
            setter {
                for copies in 2...4 {
                    try await set(\.copies, copies)
                    try await publisher(for: ItemSelected.self)(ItemSelected(item: copies))
                }
            }
            LoopbackProcess(mount: "/shop") {
                Node("desk").watch(\.copies).subscribe(to: ItemSelected.self) { selected in
                    await journal.note("\(selected.item) \(copies)")
                }
            }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(PriceChanged(), from: "/shop").outcome
        }
        #expect(await journal.entries == ["2 2", "3 3", "4 4"])
    }

    @Test func `a node's values are removed with it, except for sticky ones`() async throws {
        let bus = LoopbackBus {
            LoopbackProcess(mount: "/shop") { Reader(journal: journal) }
        }
        try await bus.run { bus in
            let shop = try await bus.attach {
                Node("shop").environment(\.copies, 2).environment(
                    \.paperSize, .a3, isSticky: true)
            }
            #expect(try await read(bus) == "2 a3")
            await shop.kill()
            #expect(try await read(bus) == "1 a3")
        }
    }

    @Test func `a value set from outside is read at the path itself until it is unset`()
        async throws
    {
        let bus = LoopbackBus(mount: "/shop") { Reader(journal: journal) }
        try await bus.run { bus in
            try await bus.control.set(at: "/shop/reader") {
                $0.copies = 8
                $0.paperSize = .a3
            }
            #expect(try await read(bus) == "8 a3")
            try await bus.control.unset(\.copies, at: "/shop/reader")
            #expect(try await read(bus) == "1 a3")
            #expect(try await bus.control.value(of: \.paperSize, at: "/shop/reader") == .a3)
            #expect(try await bus.control.value(of: \.copies, at: "/shop/reader") == nil)
            #expect(try await bus.control.environment(at: "/shop/reader")["paperSize"] != nil)
        }
    }

    @Test func `all values are the same after a restart of the daemon`() async throws {
        @Environment(\.setEnvironment) var set
        let bus = LoopbackBus {
            setter { try await set(\.copies, 5) }.environment(\.paperSize, .a3)
            LoopbackProcess(mount: "/shop") { Reader(journal: journal) }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(PriceChanged(), from: "/shop").outcome
            await bus.restart()
            #expect(try await read(bus) == "5 a3")
        }
    }

    @Test func `an explanation lists every candidate and the winner`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("shop") { Reader(journal: journal) }
                .environment(\.copies, 2)
                .rules { \.copies <= 4 }
        }
        try await bus.run { bus in
            let explanation = try await bus.control.explain(\.copies, at: "/shop/reader")
            #expect(explanation.value == 2)
            #expect(explanation.candidates.map(\.kind) == ["set", "rule", "default"])
            #expect(explanation.candidates.map(\.won) == [true, false, false])
            let winner = try #require(explanation.candidates.first)
            #expect(winner.from == "/shop")
            #expect(winner.value == .number("2"))
            #expect(!winner.why.isEmpty)
            #expect(winner.by != nil)
            #expect(winner.since != nil)
        }
    }
}
