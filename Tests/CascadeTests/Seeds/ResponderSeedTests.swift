// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// The examples of HierarchyResponder's README, ported. PortingFromSwiftUI has the tokens that changed.
@Suite(.timeLimit(.minutes(1))) struct ResponderSeedTests {
    struct MyEvent: Event {}
    struct AnotherEvent: Event {}
    struct MyError: ReportableError {}
    struct AnError: ReportableError {}

    private let log = Journal()

    // MARK: - Select an item

    struct ItemSelection: Event {
        let item: Int
    }

    struct Parent: NodeConvertible {
        @Environment(\.present) var present
        let items: [Int]

        var node: Node {
            Node("parent") {
                Grid(items: items)
            }
            .handle(ItemSelection.self) { event in
                try await present(Node("detail-\(event.item)"))
            }
        }
    }

    struct Grid: NodeConvertible {
        let items: [Int]

        var node: Node {
            Node("grid") {
                for item in items {
                    Item(item: item)
                }
            }
        }
    }

    struct Item: NodeConvertible {
        @Environment(\.triggerEvent) var triggerEvent
        let item: Int

        var node: Node {
            // A process has no taps: a timer, a signal or a task triggers.
            Node("item-\(item)").task {
                if item == 2 {
                    try await triggerEvent(ItemSelection(item: item))
                }
            }
        }
    }

    @Test func `an ancestor handles the selection of an item, and presents its detail`()
        async throws
    {
        try await LoopbackBus(mount: .root) { Parent(items: [1, 2]) }.run { bus in
            await bus.advance(by: .zero)
            let nodes = try await bus.nodes
            #expect(nodes.contains("/parent/detail-2") && !nodes.contains("/parent/detail-1"))
        }
    }

    // MARK: - Trigger and report

    struct TriggerView: NodeConvertible {
        @Environment(\.triggerEvent) var triggerEvent

        var node: Node {
            Node("view").task { try await triggerEvent(MyEvent()) }
        }
    }

    struct ReportView: NodeConvertible {
        @Environment(\.reportError) var reportError

        var node: Node {
            Node("view").task { try await reportError(MyError()) }
        }
    }

    @Test func `an event triggered below is handled by the responder for its type`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("content") { TriggerView() }
                .handle(AnotherEvent.self) { await log.note("another") }
                .handle(MyEvent.self) { await log.note("mine") }
        }
        try await bus.run { await $0.advance(by: .zero) }
        #expect(await log.entries == ["mine"])
    }

    @Test func `an error reported below is handled by the responder for its type`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("content") { ReportView() }
                .handle { event in await log.note("event \(event.name)") }
                .handleError(MyError.self) { await log.note("mine") }
        }
        try await bus.run { await $0.advance(by: .zero) }
        #expect(await log.entries == ["mine"])
    }

    // MARK: - Order and kinds

    @Test func `responders are asked in their order, and the first that handles ends the event`()
        async throws
    {
        let bus = LoopbackBus(mount: .root) {
            Node("content")
                .handle(MyEvent.self) { await log.note("typed") }
                .handle { event in await log.note("untyped \(event.name)") }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(MyEvent(), from: "/content").outcome
            _ = try await bus.trigger(AnotherEvent(), from: "/content").outcome
        }
        #expect(await log.entries == ["typed", "untyped AnotherEvent"])
    }

    @Test func `receive decides whether the event ends or continues`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("app") {
                Node("content").receive { event in
                    event.name == "MyEvent" ? .handled : .notHandled
                }
            }
            .handle { _ in }
        }
        try await bus.run { bus in
            let mine = try await bus.trigger(MyEvent(), from: "/app/content").outcome
            #expect(mine == .handled(by: "/app/content"))
            let another = try await bus.trigger(AnotherEvent(), from: "/app/content").outcome
            #expect(another == .handled(by: "/app"))
        }
    }

    @Test func `transform replaces the event for the responders that follow`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("app") {
                Node("content").transform(MyEvent.self) { AnotherEvent() }
            }
            .handle { event in await log.note("\(event.name)") }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(MyEvent(), from: "/app/content").outcome
        }
        #expect(await log.entries == ["AnotherEvent"])
    }

    @Test func `a throw ends the event, and the error goes up as if it were reported`() async throws
    {
        let bus = LoopbackBus(mount: .root) {
            Node("app") {
                Node("content").handle { _ in throw AnError() }
            }
            .handle { _ in await log.note("event") }
            .handleError(AnError.self) { await log.note("error") }
        }
        try await bus.run { bus in
            guard
                case .caught(let failure, by: "/app") =
                    try await bus.trigger(MyEvent(), from: "/app/content").outcome
            else {
                Issue.record("the error was not handled")
                return
            }
            #expect(failure.name == "AnError")
        }
        #expect(await log.entries == ["error"])
    }

    struct UnauthenticatedError: ReportableError {}
    struct ShowSignInEvent: Event {}

    @Test func `catch turns an error into an event that continues upward`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("app") {
                Node("content").catchError(UnauthenticatedError.self) { ShowSignInEvent() }
            }
            .handleError { _ in await log.note("error") }
            .handle { event in await log.note("\(event.name)") }
        }
        try await bus.run { bus in
            _ = try await bus.report(UnauthenticatedError(), from: "/app/content").outcome
        }
        #expect(await log.entries == ["ShowSignInEvent"])
    }

    // MARK: - External events

    struct Shaken: Event {}

    @Test func `an event from outside goes down to the subscriber that is on screen`() async throws
    {
        let bus = LoopbackBus(mount: .root) {
            Node("app") {
                Node("feed").subscribe(to: Shaken.self) { await log.note("feed") }
                Node("post").subscribe(to: Shaken.self) { await log.note("post") }
            }
        }
        try await bus.run { bus in
            try await bus.publish(Shaken(), at: "/app")
            try await bus.deactivate("/app/post")
            try await bus.publish(Shaken(), at: "/app")
        }
        #expect(await log.entries == ["post", "feed"])
    }

    // MARK: - Goodies

    struct ConnectionError: AlertableError {
        let message: String
    }

    @Test func `an alertable error is shown, and another error continues`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("app").handleAlertErrors(AlertSink { alert in await log.note("\(alert)") })
                .handleError { error in await log.note("not shown: \(error.name)") }
        }
        try await bus.run { bus in
            _ = try await bus.report(ConnectionError(message: "no route"), from: "/app").outcome
            _ = try await bus.report(MyError(), from: "/app").outcome
            await bus.advance(by: .zero)
        }
        #expect(await Set(log.entries) == ["Error: no route", "not shown: MyError"])
    }
}
