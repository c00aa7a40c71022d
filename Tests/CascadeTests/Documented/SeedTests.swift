// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Glibc
import Testing

/// The Swift examples in the table of the article FromSwiftUIToProcesses, word for word: each runs
/// here, and ArticleTests looks for it here.
@Suite(.timeLimit(.minutes(1))) struct SeedTests {
    struct ItemSelected: Event { var item = 7 }
    struct ItemTapped: Event { var row = 7 }
    struct Shaken: Event {}
    struct ShowSignIn: Event {}
    struct CheckoutCompleted: Event {}
    struct OutOfStock: ReportableError { var item = 7 }
    struct Unauthenticated: ReportableError {}
    struct ImageOf: Request {
        typealias Reply = String
        let path: String
    }
    struct PrinterError: AlertableError { let message: String }

    @Environment(\.triggerEvent) var triggerEvent
    @Environment(\.reportError) var reportError
    @Environment(\.request) var request
    @Environment(\.cascade) var cascade
    @Environment(\.publisher) var publisher
    @Environment(\.push) var push
    @Environment(\.present) var present
    @Environment(\.dismiss) var dismiss

    private let log = Journal()

    /// Runs the code as the task of a node below others, and waits for `count` entries.
    private func entries(
        _ count: Int, above node: Node = Node("app"),
        _ code: @escaping @Sendable () async throws -> Void
    ) async throws -> [String] {
        let log = log
        let bus = LoopbackBus {
            node.observe { await log.note("\($0.name)") }
            LoopbackProcess(mount: "/app") { Node("view").task(code) }
        }
        return try await bus.run { _ in try await log.entries(count) }
    }

    // MARK: - Up

    @Test func `a node triggers an event`() async throws {
        let entries = try await entries(1) {
            try await triggerEvent(ItemSelected(item: 7))
        }
        #expect(entries == ["ItemSelected"])
    }

    @Test func `a node reports an error`() async throws {
        let entries = try await entries(
            1, above: Node("app").handleError { await log.note("\($0.name)") }
        ) {
            try await reportError(OutOfStock(item: 7))
        }
        #expect(entries == ["OutOfStock"])
    }

    /// The outcome of a message raised at `/app`, a node with the given responders.
    private func outcome(
        _ raise: (LoopbackBus) async throws -> RaisedEvent, _ modify: (Node) -> Node
    ) async throws -> Outcome {
        try await LoopbackBus { modify(Node("app")) }.run { try await raise($0).outcome }
    }

    private func selected(_ modify: (Node) -> Node) async throws -> Outcome {
        try await outcome({ try await $0.trigger(ItemSelected(), from: "/app") }, modify)
    }

    private func reported(_ modify: (Node) -> Node) async throws -> Outcome {
        try await outcome({ try await $0.report(OutOfStock(), from: "/app") }, modify)
    }

    @Test func `a node handles, receives and transforms events`() async throws {
        let handled = Outcome.handled(by: "/app")
        #expect(
            try await selected { node in
                node
                    .handle(ItemSelected.self) { await log.note("\($0.item)") }
            } == handled)
        #expect(
            try await selected { node in
                node
                    .receive(ItemSelected.self) { $0.item == 7 ? .handled : .notHandled }
            } == handled)
        #expect(
            try await selected { node in
                node
                    .handle { event in await log.note("\(event.name)") }
            } == handled)
        let transformed = try await outcome(
            { try await $0.trigger(ItemTapped(), from: "/app") },
            { node in
                node
                    .transform(ItemTapped.self) { ItemSelected(item: $0.row) }
                    .handle(ItemSelected.self) {}
            })
        #expect(transformed == handled)
        #expect(await log.entries == ["7", "ItemSelected"])
    }

    @Test func `a node handles, receives, transforms and catches errors`() async throws {
        let handled = Outcome.handled(by: "/app")
        #expect(
            try await reported { node in
                node
                    .handleError(OutOfStock.self) { await log.note("\($0.item)") }
            } == handled)
        #expect(
            try await reported { node in
                node
                    .receiveError { $0.name.description == "OutOfStock" ? .handled : .notHandled }
            } == handled)
        #expect(
            try await reported { node in
                node
                    .transformError(OutOfStock.self) { Unauthenticated() }
                    .handleError(Unauthenticated.self) {}
            } == handled)
        let caught = try await outcome(
            { try await $0.report(Unauthenticated(), from: "/app") },
            { node in
                node
                    .catchError(Unauthenticated.self) { ShowSignIn() }
                    .handle(ShowSignIn.self) {}
            })
        #expect(caught == handled)
    }

    @Test func `a responder throws an error`() async throws {
        let outcome = try await selected { node in
            node
                .handle(ItemSelected.self) { throw OutOfStock(item: $0.item) }
                .handleError(OutOfStock.self) { await log.note("\($0.item)") }
        }
        guard case .caught = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(await log.entries == ["7"])
    }

    @Test func `an error with an alert message is shown`() async throws {
        let sink = AlertSink { await log.note("\($0)") }
        let bus = LoopbackBus(mount: .root) {
            Node("app")
                .handleAlertErrors(sink)
        }
        try await bus.run { bus in
            try await bus.report(PrinterError(message: "no paper"), from: "/app")
            let entries = try await log.entries(1)
            #expect(entries == ["Error: no paper"])
        }
    }

    // MARK: - Cascades and requests

    @Test func `a cascade runs the action of an ancestor`() async throws {
        let app = Node("app")
            .cascadingAction(CheckoutCompleted.self) { await log.note("thanks") }
        let entries = try await entries(2, above: app) {
            try await cascade(CheckoutCompleted())
        }
        #expect(entries == ["thanks", "CheckoutCompleted"])
    }

    @Test func `a request is answered with a value`() async throws {
        let app = Node("app")
            .respond(to: ImageOf.self) { $0.path == "corgi" ? "🐶" : nil }
        let entries = try await entries(1, above: app) {
            let image = try await request(ImageOf(path: "corgi"))
            await log.note(image)
        }
        #expect(entries == ["🐶"])
    }

    // MARK: - Down

    @Test func `a node publishes to a subscriber`() async throws {
        let log = log
        let bus = LoopbackBus {
            Node("app").handle(ItemSelected.self) { _ in
                try await publisher(for: Shaken.self)(Shaken())
                try await publisher(for: Shaken.self, destination: .all)(Shaken())
                try await publisher(for: Shaken.self).ifSubscribed()?(Shaken())
            }
            LoopbackProcess(mount: "/app") {
                Node("view")
                    .subscribe(to: Shaken.self) { await log.note("shaken") }
            }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(ItemSelected(), from: "/app").outcome
        }
        #expect(await log.entries == ["shaken", "shaken", "shaken"])
    }

    // MARK: - Safety

    @Test func `a node declares what its subtree triggers and reports`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("feed")
                .triggers(ItemSelected.self, ShowSignIn.self)
                .reports(Unauthenticated.self)
                .safetyLevel(.strict)
                .requireExplicitResponders(false)
        }
        try await bus.run { bus in
            let feed = try #require(await bus.snapshot(of: "/feed"))
            #expect(feed.triggers?.map(\.description) == ["ItemSelected", "ShowSignIn"])
            #expect(feed.reports?.map(\.description) == ["Unauthenticated"])
            // Strict: what is not declared is rejected. Explicit responders are not required, and
            // there are none.
            guard case .rejected = try await bus.trigger(Shaken(), from: "/feed").outcome else {
                Issue.record("an undeclared event passed")
                return
            }
            let findings = try await bus.control.check().findings
            #expect(findings.map { "\($0.kind) \($0.name)" } == ["undeclared Shaken"])
        }
    }

    // MARK: - Places

    @Test func `a node pushes, presents and dismisses nodes`() async throws {
        let bus = LoopbackBus(mount: "/app") {
            Node("list").handle(ItemSelected.self) { _ in
                let detail = try await push(Node("detail"))
                let sheet = try await present(Node("sheet").task { try await dismiss() })
                try await sheet.waitUntilGone()
                try await detail.dismiss()
                await log.note("\(detail.path) \(sheet.path)")
            }
        }
        try await bus.run { bus in
            let outcome = try await bus.trigger(ItemSelected(), from: "/app/list").outcome
            #expect(outcome == .handled(by: "/app/list"))
        }
        #expect(await log.entries == ["/app/detail /app/list/sheet"])
    }

    // MARK: - From outside

    @Test func `a signal and a timer trigger events`() async throws {
        let clock = VirtualClock()
        let bus = LoopbackBus(clock: clock) {
            Node("app").observe { await log.note("\($0.name)") }
            LoopbackProcess(mount: "/app") {
                Node("bell")
                    .onSignal(SIGUSR1) { try await triggerEvent(Shaken()) }
                    .every(.seconds(5), clock: clock) { try await triggerEvent(ItemSelected()) }
            }
        }
        // The first signals may arrive before the node listens.
        signal(SIGUSR1, SIG_IGN)
        try await bus.run { bus in
            while await log.entries.isEmpty {
                kill(getpid(), SIGUSR1)
                await Task.yield()
            }
            #expect(await log.entries.first == "Shaken")
            await bus.advance(by: .seconds(5))
            try await log.waits(for: "ItemSelected")
        }
    }
}
