// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// A key with the name of another key, for values of another type.
private struct CopiesInWordsKey: EnvironmentKey {
    static let name = CopiesKey.name
    static let defaultValue = "none"
}

extension EnvironmentValues {
    fileprivate var copiesInWords: String {
        get { self[CopiesInWordsKey.self] }
        set { self[CopiesInWordsKey.self] = newValue }
    }
}

/// How code observes changes.
@Suite(.timeLimit(.minutes(1))) struct WatchingTests {
    private let journal = Journal()

    private struct Clerk: NodeConvertible {
        @Environment(\.copies) var copies
        @Environment(\.greeting) var greeting
        let journal: Journal

        var node: Node {
            Node("clerk") {
                Node("desk").task { await journal.note("desk \(copies) \(greeting)") }
            }
            .task { await journal.note("clerk \(copies) \(greeting)") }
        }
    }

    private struct Office: Worker {
        static let mount: NodePath = "/shop"
        @Environment(\.copies) var copies
        static let journal = Journal()

        var body: [Node] {
            Node("office").task { await Self.journal.note("office \(copies)") }
        }
    }

    @Test func `the properties of a type are read before the code of its nodes runs`() async throws
    {
        let bus = LoopbackBus(mount: .root) {
            Node("shop") { Clerk(journal: journal) }
                .environment(\.copies, 2)
                .environment(\.greeting, "hi")
        }
        try await bus.run { _ in
            let found = try await journal.entries(2).sorted()
            #expect(found == ["clerk 2 hi", "desk 2 hi"])
        }
    }

    @Test func `the properties of a worker apply to its nodes`() async throws {
        let bus = LoopbackBus {
            Node("shop").environment(\.copies, 2)
            Office()
        }
        try await bus.run { _ in
            let found = try await Office.journal.entries(1)
            #expect(found == ["office 2"])
        }
    }

    @Test func `the values of a pushed node are read before its code runs`() async throws {
        @Environment(\.push) var push
        let journal = journal
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("list").handle(ItemSelected.self) { _ in
                    try await push(Clerk(journal: journal))
                }
            }
            .environment(\.copies, 2)
        }
        try await bus.run { bus in
            _ = try await bus.trigger(ItemSelected(), from: "/shop/list").outcome
            #expect(try await journal.entries(2).sorted() == ["clerk 2 hello", "desk 2 hello"])
        }
    }

    @Test func `changes are reported in order, each with the value before and after it`()
        async throws
    {
        let journal = journal
        let bus = LoopbackBus(mount: "/shop") {
            Node("clerk")
                .onChange(of: \.copies, initial: true) { old, new in
                    await journal.note("\(old) \(new)")
                }
        }
        try await bus.run { bus in
            _ = try await journal.entries(1)
            for copies in 2...4 {
                try await bus.control.set(\.copies, copies, at: "/shop")
            }
            try await bus.control.unset(\.copies, at: "/shop")
            #expect(try await journal.entries(5) == ["1 1", "1 2", "2 3", "3 4", "4 1"])
        }
    }

    @Test func `a key path to part of a value reports changes of that part only`() async throws {
        let journal = journal
        let bus = LoopbackBus(mount: "/shop") {
            Node("clerk")
                .onChange(of: \.margins.left) {
                    await journal.note("\(EnvironmentValues.current.margins)")
                }
                .task { await journal.note("up") }
        }
        try await bus.run { bus in
            _ = try await journal.entries(1)
            try await bus.control.set(\.margins, Margins(right: 1), at: "/shop")
            try await bus.control.set(\.margins, Margins(left: 2, right: 1), at: "/shop")
            #expect(try await journal.entries(2)[1] == "\(Margins(left: 2, right: 1))")
        }
    }

    @Test func `a key that code observes without declaring it is watched from then on`()
        async throws
    {
        @Environment(\.changes) var changes
        @Environment(\.copies) var copies
        let journal = journal
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("clerk").task {
                    for await (old, new) in changes(of: \.copies) {
                        await journal.note("\(old) \(new) \(copies)")
                    }
                }
            }
            .environment(\.copies, 2)
        }
        try await bus.run { _ in
            let found = try await journal.entries(1)
            #expect(found == ["1 2 2"])
        }
    }

    @Test func `a value of another type reads as the default`() async throws {
        let journal = journal
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("clerk").watch(\.copies, \.copiesInWords).task {
                    await journal.note("\(EnvironmentValues.current.copies)")
                    await journal.note(EnvironmentValues.current.copiesInWords)
                }
            }
            .environment(\.copiesInWords, "many")
        }
        try await bus.run { _ in
            let found = try await journal.entries(2)
            #expect(found == ["1", "many"])
        }
    }
}
