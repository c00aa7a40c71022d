// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// Nodes that are attached by running code.
@Suite(.timeLimit(.minutes(1))) struct GrowingTests {
    @Environment(\.push) private var push
    @Environment(\.present) private var present
    @Environment(\.dismiss) private var dismiss
    @Environment(\.path) private var path
    @Environment(\.triggerEvent) private var triggerEvent

    /// A node that records when its task begins and ends.
    private func page(_ name: String, _ journal: Journal) -> Node {
        Node(name) {
            Node("inner").handle(PriceChanged.self) { _ in await journal.note("inner") }
        }
        .task {
            await journal.note("\(path) begun")
            do {
                try await Gate().pass()
            } catch {
                await journal.note("\(path) ended")
            }
        }
    }

    @Test func `a pushed node is attached beside its pusher, with its children and responders`()
        async throws
    {
        let journal = Journal()
        let bus = LoopbackBus(mount: "/app") {
            Node("list").handle(ItemSelected.self) { _ in
                try await push(page("detail", journal))
            }
        }
        try await bus.run { bus in
            let outcome = try await bus.trigger(ItemSelected(), from: "/app/list").outcome
            #expect(outcome == .handled(by: "/app/list"))
            #expect(try await bus.nodes == ["/app/list", "/app/detail", "/app/detail/inner"])
            #expect(try await journal.entries(1) == ["/app/detail begun"])
            let inner = try await bus.trigger(PriceChanged(), from: "/app/detail/inner").outcome
            #expect(inner == .handled(by: "/app/detail/inner"))
        }
        #expect(await journal.entries.last == "/app/detail ended")
    }

    @Test func `a presented node is attached below its presenter, which handles its events`()
        async throws
    {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("app").task {
                let sheet = try await present(
                    Node("sheet").task {
                        let outcome = try await triggerEvent(ItemSelected()).outcome
                        await journal.note("\(outcome)")
                    })
                await journal.note("\(sheet.path)")
            }
            .handle(ItemSelected.self) { _ in }
        }
        try await bus.run { bus in
            let entries = try await journal.entries(2)
            #expect(entries.sorted() == ["/app/sheet", "\(Outcome.handled(by: "/app"))"])
        }
    }

    @Test func `a pushed node ends when it is dismissed, and its pusher stays`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("app").task {
                let detail = try await push(page("detail", journal))
                _ = try await journal.entries(1)
                try await detail.dismiss()
                try await detail.waitUntilGone()
                try await detail.dismiss()
                await journal.note("dismissed")
            }
        }
        try await bus.run { bus in
            let entries = try await journal.entries(3)
            #expect(Set(entries) == ["/detail begun", "/detail ended", "dismissed"])
            #expect(try await bus.nodes == ["/app"])
        }
    }

    @Test func `a node that dismisses itself finishes the event it handles`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("app").handle(PriceChanged.self) { _ in
                let sheet = try await present(
                    Node("sheet").handle(ItemSelected.self) { _ in try await dismiss() })
                await journal.note("presented")
                try await sheet.waitUntilGone()
            }
        }
        try await bus.run { bus in
            let opened = try await bus.trigger(PriceChanged(), from: "/app")
            _ = try await journal.entries(1)
            let outcome = try await bus.trigger(ItemSelected(), from: "/app/sheet").outcome
            #expect(outcome == .handled(by: "/app/sheet"))
            #expect(try await opened.outcome == .handled(by: "/app"))
            #expect(try await bus.nodes == ["/app"])
        }
    }

    @Test func `a push to a taken path is refused, and a later push succeeds`() async throws {
        let bus = LoopbackBus {
            Node("app").handle(ItemSelected.self) { _ in
                let error = await #expect(throws: CascadeError.self) {
                    try await push(Node("other"))
                }
                #expect(error?.reason == .pathTaken)
                try await push(Node("another"))
            }
            Node("other")
        }
        try await bus.run { bus in
            let outcome = try await bus.trigger(ItemSelected(), from: "/app").outcome
            #expect(outcome == .handled(by: "/app"))
            #expect(try await bus.nodes == ["/app", "/other", "/another"])
        }
    }

    @Test func `a worker ends when its last node dismisses itself`() async throws {
        try await LoopbackBus { Node("app") }.run { bus in
            let worker = try await bus.attach {
                Node("tray").task { try await dismiss() }
                Node("sheet").task { try await dismiss() }
            }
            try await worker.waitUntilEnded()
            #expect(try await bus.nodes == ["/app"])
        }
    }

    @Test func `push, present and dismiss throw outside a node's code`() async throws {
        for action in [
            { _ = try await push(Node("detail")) }, { _ = try await present(Node("sheet")) },
            { try await dismiss() },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: CascadeError.self) { try await action() }
            #expect(error?.code == .notRunning)
        }
    }

    @Test func `a pushed node is attached again after a restart of the daemon`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("app").handle(ItemSelected.self) { _ in try await push(page("detail", journal)) }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(ItemSelected(), from: "/app").outcome
            await bus.restart()
            let inner = try await bus.trigger(PriceChanged(), from: "/detail/inner").outcome
            #expect(inner == .handled(by: "/detail/inner"))
        }
    }
}
