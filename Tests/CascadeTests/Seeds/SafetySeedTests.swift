// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// The example of HierarchyResponder's README about safety, ported: a feed that declares what its subtree
/// triggers and reports.
@Suite(.timeLimit(.minutes(1))) struct SafetySeedTests {
    struct ShowPostEvent: Event {}
    struct ShowProfileEvent: Event {}
    struct ShareEvent: Event {}
    struct AuthenticationError: ReportableError {}

    struct Feed: NodeConvertible {
        var node: Node {
            Node("feed")
                .triggers(ShowPostEvent.self, ShowProfileEvent.self)
                .reports(AuthenticationError.self)
        }
    }

    /// The findings about the feed below a parent whose responders name no type.
    private static let missing = [
        "unhandled AuthenticationError", "unhandled ShowPostEvent", "unhandled ShowProfileEvent",
    ]

    /// The outcome of an undeclared event at the feed, whose parent handles every event.
    private func outcomeOfUndeclared(_ feed: Node) async throws -> Outcome {
        try await LoopbackBus(mount: .root) {
            Node("app") { feed }.handle { _ in }
        }.run { bus in
            try await bus.trigger(ShareEvent(), from: "/app/feed").outcome
        }
    }

    /// The findings of the bus about the feed, below a parent with these responders: the kind and the
    /// name of each, sorted.
    private func findings(
        _ feed: Node, after event: (any Event)? = nil,
        below parent: (Node) -> Node = { $0.handle { _ in }.handleError { _ in } }
    ) async throws -> [String] {
        try await LoopbackBus(mount: .root) {
            parent(Node("app") { feed })
        }.run { bus in
            if let event {
                _ = try await bus.trigger(event, from: "/app/feed").outcome
            }
            return try await bus.control.check().findings
                .map { "\($0.kind) \($0.name)" }.sorted()
        }
    }

    // MARK: - Undeclared names

    @Test func `an undeclared event passes by default, and the bus warns`() async throws {
        let outcome = try await outcomeOfUndeclared(Feed().node)
        #expect(outcome == .handled(by: "/app"))
        let found = try await findings(Feed().node, after: ShareEvent())
        #expect(found == ["undeclared ShareEvent"] + Self.missing)
        let declared = try await findings(Feed().node, after: ShowPostEvent())
        #expect(declared == Self.missing)
    }

    @Test func `with strict safety an undeclared event is rejected where it is not declared`()
        async throws
    {
        let feed = Feed().safetyLevel(.strict)
        guard case .rejected(let failure) = try await outcomeOfUndeclared(feed) else {
            Issue.record("the event was not rejected")
            return
        }
        #expect(failure.node == "/app/feed")
        #expect(failure.message?.contains("ShareEvent") == true)
    }

    @Test func `with disabled safety an undeclared event passes without a warning`() async throws {
        let feed = Feed().safetyLevel(.disabled)
        let outcome = try await outcomeOfUndeclared(feed)
        #expect(outcome == .handled(by: "/app"))
        let found = try await findings(feed, after: ShareEvent())
        #expect(found == [])
    }

    // MARK: - Explicit responders

    @Test func `a declared name without a responder for it above is a finding`() async throws {
        let found = try await findings(Feed().node)
        #expect(found == Self.missing)
    }

    @Test func `a responder that names the type is enough, and one for all types is not`()
        async throws
    {
        let found = try await findings(Feed().node) { app in
            app.handle(ShowPostEvent.self) {}
                .catchError(AuthenticationError.self) { ShowPostEvent() }
                .handle { _ in }
        }
        #expect(found == ["unhandled ShowProfileEvent"])
    }

    @Test func `without required explicit responders there is no finding`() async throws {
        let found = try await findings(Feed().requireExplicitResponders(false))
        #expect(found == [])
    }
}
