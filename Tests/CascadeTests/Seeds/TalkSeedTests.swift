// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// The examples of the talk on the view hierarchy as a communication channel, ported.
@Suite(.timeLimit(.minutes(1))) struct TalkSeedTests {
    private let log = Journal()

    // MARK: - Responders in the environment

    struct CoolEvent: Event {}
    struct OtherEvent: Event {}

    struct CoolView: NodeConvertible {
        @Environment(\.triggerEvent) var triggerEvent

        var node: Node {
            Node("cool").task { try await triggerEvent(CoolEvent()) }
        }
    }

    @Test func `a receiver ends the event that it knows, and returns every other`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("app") {
                CoolView()
            }
            .receive { event in
                guard event.name == "CoolEvent" else {
                    return .notHandled
                }
                await log.note("😎")
                return .handled
            }
        }
        try await bus.run { bus in
            await bus.advance(by: .zero)
            let other = try await bus.trigger(OtherEvent(), from: "/app").outcome
            #expect(other == .unhandled)
        }
        #expect(await log.entries == ["😎"])
    }

    // MARK: - Errors

    struct AuthorizationError: ReportableError {}
    struct ServerError: AlertableError {
        let message: String
    }
    struct ShowLogin: Event {}

    /// A view whose content cannot be loaded.
    struct Content<Failure: Error & Sendable>: NodeConvertible {
        @Environment(\.reportError) var reportError
        let failure: Failure

        var node: Node {
            Node("content").task {
                do {
                    throw failure
                } catch {
                    try await reportError(error)
                }
            }
        }
    }

    /// The modifiers of the app: from authorization to login, analytics, and an alert for the rest.
    private func app(_ content: some NodeConvertible) -> Node {
        Node("app") { content }
            .catchError(AuthorizationError.self) { ShowLogin() }
            .handle(ShowLogin.self) {
                try await EnvironmentValues.current.present(Node("login"))
            }
            .receiveError { error in
                await log.note("analytics: \(error.name)")
                return .notHandled
            }
            .handleAlertErrors(AlertSink { alert in await log.note("\(alert)") })
    }

    @Test func `analytics sees an error on its way to the alert`() async throws {
        let content = Content(failure: ServerError(message: "try later"))
        try await LoopbackBus(mount: .root) { app(content) }.run { bus in
            await bus.advance(by: .zero)
            let nodes = try await bus.nodes
            #expect(nodes == ["/app", "/app/content"])
        }
        #expect(await log.entries == ["analytics: ServerError", "Error: try later"])
    }

    @Test func `an authorization error presents the login, and analytics does not see it`()
        async throws
    {
        let content = Content(failure: AuthorizationError())
        try await LoopbackBus(mount: .root) { app(content) }.run { bus in
            await bus.advance(by: .zero)
            let nodes = try await bus.nodes
            #expect(nodes.contains("/app/login"))
        }
        #expect(await log.entries.isEmpty)
    }

    // MARK: - Remote images

    struct ImageRequest: Request {
        typealias Reply = String
        let path: String
    }
    struct RemoteImageError: ReportableError {}

    struct ImageDisplay: NodeConvertible {
        @Environment(\.request) var request
        let path: String
        let log: Journal

        var node: Node {
            Node("display").task {
                do {
                    await log.note(try await request(ImageRequest(path: path)))
                } catch {
                    await log.note("exclamation mark: \(error)")
                }
            }
        }
    }

    /// What a display shows below a cache of one image and a client that fetches any other but "bad".
    private func shown(_ path: String) async throws -> [String] {
        let bus = LoopbackBus(mount: .root) {
            Node("client") {
                Node("cache") {
                    ImageDisplay(path: path, log: log)
                }
                .respond(to: ImageRequest.self) { $0.path == "corgi" ? "cached 🐶" : nil }
            }
            .respond(to: ImageRequest.self) { request in
                guard request.path != "bad" else {
                    throw RemoteImageError()
                }
                return "fetched 🖼"
            }
        }
        try await bus.run { await $0.advance(by: .zero) }
        return await log.entries
    }

    @Test func `the nearest responder with an image replies`() async throws {
        #expect(try await shown("corgi") == ["cached 🐶"])
    }

    @Test func `a responder without the image passes the request on`() async throws {
        #expect(try await shown("cat") == ["fetched 🖼"])
    }

    @Test func `an error of a responder goes to the requester`() async throws {
        let entries = try await shown("bad")
        #expect(entries.count == 1 && entries[0].contains("RemoteImageError"))
    }

    @Test func `a request that no node answers is an error, and not a crash`() async throws {
        let display = ImageDisplay(path: "corgi", log: log)
        try await LoopbackBus(mount: .root) { display }.run { await $0.advance(by: .zero) }
        #expect(await log.entries == ["exclamation mark: \(RequestError.unhandled)"])
    }

    // MARK: - Environment and preferences

    @Test func `a value reaches every descendant, and the nearest one wins`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("stack") {
                Node("name").environment(\.font, "headline", scope: .itself)
                Node("details") {
                    Node("role")
                    Node("company")
                }
                .environment(\.font, "callout")
            }
            .environment(\.font, "body")
        }
        try await bus.run { bus in
            let control = try await bus.control
            #expect(try await control.value(of: \.font, at: "/stack/name") == "headline")
            #expect(try await control.value(of: \.font, at: "/stack/details") == "body")
            #expect(try await control.value(of: \.font, at: "/stack/details/role") == "callout")
            #expect(try await control.value(of: \.font, at: "/stack/details/company") == "callout")
            #expect(try await control.value(of: \.font, at: .root) == nil)
        }
    }

    struct ColorSchemeKey: PreferenceKey {
        static let defaultValue = "automatic"
        static let reducer = PreferenceReducer.first
    }

    @Test func `a preference goes the other way`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("window") {
                Node("sheet").preference(ColorSchemeKey.self, "dark")
            }
            .onPreferenceChange(ColorSchemeKey.self) { await log.note($0) }
        }
        try await bus.run { await $0.advance(by: .zero) }
        #expect(await log.entries == ["dark"])
    }
}

private struct FontKey: EnvironmentKey {
    static let defaultValue = "system"
}

extension EnvironmentValues {
    fileprivate var font: String {
        get { self[FontKey.self] }
        set { self[FontKey.self] = newValue }
    }
}
