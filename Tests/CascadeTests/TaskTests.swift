// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// The tasks of nodes.
@Suite(.timeLimit(.minutes(1))) struct TaskTests {
    @Environment(\.triggerEvent) private var triggerEvent
    @Environment(\.visit) private var visit

    /// A task that runs until it is cancelled.
    private static func endless(_ journal: Journal) -> @Sendable () async throws -> Void {
        {
            await journal.note("begun")
            do {
                try await Gate().pass()
            } catch {
                await journal.note("cancelled")
                throw error
            }
        }
    }

    @Test func `a task begins once its node is attached, and triggers as that node`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("shelf").task {
                    await journal.note("\(visit == nil)")
                    let outcome = try await triggerEvent(ItemSelected()).outcome
                    await journal.note("\(outcome)")
                }
            }
            .handle(ItemSelected.self) { _ in }
        }
        try await bus.run { _ in
            let entries = try await journal.entries(2)
            #expect(entries == ["true", "\(Outcome.handled(by: "/shop"))"])
        }
    }

    @Test func `a task is cancelled when its process leaves, which ends without an error`()
        async throws
    {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) { Node("shop").task(Self.endless(journal)) }
        try await bus.run { bus in
            _ = try await journal.entries(1)
            try await bus.process(at: "/shop").leave()
            #expect(await journal.entries == ["begun", "cancelled"])
            #expect(try await bus.nodes.isEmpty)
        }
    }

    @Test func `a task is cancelled when its node is taken over, and the other nodes stay`()
        async throws
    {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("a").task(Self.endless(journal))
            Node("b").task { await journal.note("b") }
        }
        try await bus.run { bus in
            _ = try await journal.entries(2)
            try await bus.attach { Node("a").takeover() }
            #expect(try await journal.entries(3).last == "cancelled")
            #expect(try await bus.nodes == ["/a", "/b"])
        }
    }

    @Test func `a process whose task throws ends with the error, and its nodes are detached`()
        async throws
    {
        let bus = LoopbackBus {}
        try await bus.run { bus in
            let process = try await bus.attach {
                Node("shop").task { throw SoldOut() }
            }
            await #expect(throws: SoldOut.self) { try await process.waitUntilEnded() }
            #expect(try await bus.nodes.isEmpty)
        }
    }

    @Test func `a node runs several tasks and stays attached when they end`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop")
                .task { await journal.note("a") }
                .task { await journal.note("b") }
        }
        try await bus.run { bus in
            let entries = try await journal.entries(2)
            #expect(entries.sorted() == ["a", "b"])
            #expect(try await bus.nodes == ["/shop"])
        }
    }
}
