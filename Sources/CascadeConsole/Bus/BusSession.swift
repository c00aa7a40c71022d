// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeSession
import CascadeWire
import Glibc
import Logging
import Synchronization

/// The one session with the bus, which all pages share. It attaches no node: it asks, and passes the
/// answers on to the ``Console``.
final class BusSession: Sendable {
    /// The time for which a request waits for a bus.
    private static let patience = Duration.seconds(1)
    /// The time after which a session that ends has not failed to begin.
    private static let attemptTime = Duration.seconds(10)

    private let bus: ConsoleOptions.Bus
    let console: Console
    let withPayloads: Bool
    /// Whether pages look at any of several buses; `nil` if there is one.
    private let pageActivity: PageActivity?
    let metrics: ConsoleMetrics
    let logger: Logger

    /// The link of the present session; `nil` while no bus answers.
    private let live = Mutex<Link?>(nil)

    private var endpoint: String {
        bus.endpoint
    }

    init(
        bus: ConsoleOptions.Bus, console: Console, withPayloads: Bool, pageActivity: PageActivity?,
        metrics: ConsoleMetrics, logger: Logger
    ) {
        self.bus = bus
        self.console = console
        self.withPayloads = withPayloads
        self.pageActivity = pageActivity
        self.metrics = metrics
        self.logger = logger
    }

    /// What answers the queries of documents. Throws ``Refusal`` without a session.
    func control() async throws(Refusal) -> BusControl {
        BusControl(link: try await link())
    }

    /// The link of the present session. Throws ``Refusal`` if no bus answers in a moment.
    func link() async throws(Refusal) -> Link {
        let begun = ContinuousClock.now
        repeat {
            if let link = live.withLock({ $0 }) {
                return link
            }
            try? await Task.sleep(for: .milliseconds(20))
        } while ContinuousClock.now - begun < Self.patience && !Task.isCancelled
        throw Refusal(503, "noBus", "No bus answers at \(endpoint).")
    }

    /// Keeps a session until the task is cancelled.
    func run() async {
        var lastReason = ""
        while !Task.isCancelled {
            let begun = ContinuousClock.now
            do {
                try await hold()
            } catch {
                let reason = "\(error)"
                // What fails at each attempt for the same reason is told once.
                if reason != lastReason || .now - begun > Self.attemptTime {
                    logger.warning("the session with the bus has ended: \(reason)")
                }
                lastReason = reason
                await console.update { $0.lost(reason, now: .now) }
            }
            live.withLock { $0 = nil }
            try? await Task.sleep(for: .milliseconds(250))
        }
    }

    /// The keys of a bus on another machine, read for each session, so that new ones need no restart.
    private var keys: BusKeys? {
        get throws {
            guard let file = bus.keyFile, let trust = bus.trust else {
                return nil
            }
            return try BusKeys(serverKey: trust, file: file)
        }
    }

    /// Opens a session, and returns when it has ended. Throws the error with which the bus ended it.
    private func hold() async throws {
        var generator = SystemRandomNumberGenerator()
        let connected = try await BusLink(
            session: Session(
                secret: SessionSecret(using: &generator), program: "cascade-console",
                processID: UInt32(getpid())),
            endpoint: endpoint, keys: try keys, logger: logger)
        let opened = connected.link
        let (connections, continuation) = AsyncStream<LinkConnection>.makeStream()
        await opened.observeConnection { continuation.yield($0) }
        let (welcomes, welcomed) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let ended = await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.answerBeats(opened) }
            group.addTask { await self.follow(connections, of: opened, welcomed) }
            group.addTask { try await self.followTree(opened, welcomes) }
            group.addTask {
                try await self.whileWatched { try await self.followActivity(opened) }
            }
            group.addTask { try await self.askRepeatedly(opened) }
            group.addTask {
                try await self.whileWatched { try await self.monitor(opened) }
            }
            if let pageActivity = self.pageActivity {
                group.addTask { try await self.pollStatus(opened, pageActivity) }
            }
            let first = await group.nextResult()
            // Questions without an answer end with the link.
            await opened.close(CascadeError(.notRunning, "The session with the bus has ended."))
            group.cancelAll()
            return first
        }
        await connected.close()
        try ended?.get()
    }

    // MARK: - Connection

    /// Answers beats until the session ends. Throws the error with which the bus ended it.
    private func answerBeats(_ link: Link) async throws {
        for await event in link.work {
            switch event {
            case .beat(let beat): await link.beatAnswered(beat)
            case .welcomed(let welcome):
                live.withLock { $0 = link }
                await console.update { $0.welcomed(welcome, now: .now) }
            case .noBusFound:
                live.withLock { $0 = nil }
                let reason = "No bus answers at \(endpoint)."
                await console.update { $0.lost(reason, now: .now) }
            case .violated(let error): throw error
            case .invoke, .detached, .environment, .cancelled, .settledBefore, .moved,
                .reattachRefused:
                break
            }
        }
    }

    private func follow(
        _ connections: AsyncStream<LinkConnection>, of link: Link,
        _ welcomed: AsyncStream<Void>.Continuation
    ) async {
        for await connection in connections {
            switch connection {
            case .lost:
                live.withLock { $0 = nil }
                let reason = "The connection to the bus at \(endpoint) is lost."
                await console.update { $0.lost(reason, now: .now) }
            case .welcomed(let welcome):
                live.withLock { $0 = link }
                await console.update { $0.welcomed(welcome, now: .now) }
                welcomed.yield()
            }
        }
    }
}
