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
    /// The number of monitor events about messages in a second that the bus may tell.
    private static let eventsPerSecond: UInt32 = 200
    /// The time between two questions for the numbers of the bus.
    private static let pollTime = Duration.seconds(1)
    /// The time between two questions for the findings.
    private static let findingsTime = Duration.seconds(5)
    /// The time between two questions for the numbers of a bus while pages look at others.
    private static let glanceTime = Duration.seconds(5)
    /// The time between two questions for a large tree of a bus that tells no changes.
    private static let largeTreeTime = Duration.seconds(5)
    /// The time between two readings of the counters of nodes, in milliseconds.
    private static let activityMilliseconds: UInt32 = 1_000

    private let bus: ConsoleOptions.Bus
    private let console: Console
    private let withPayloads: Bool
    /// Whether pages look at any of several buses; `nil` if there is one.
    private let attention: Attention?
    private let metrics: ConsoleMetrics
    private let logger: Logger
    /// The time for which a request waits for a bus.
    private static let patience = Duration.seconds(1)

    /// The link of the present session; `nil` while no bus answers.
    private let live = Mutex<Link?>(nil)

    private var endpoint: String {
        bus.endpoint
    }

    init(
        bus: ConsoleOptions.Bus, console: Console, withPayloads: Bool, attention: Attention?,
        metrics: ConsoleMetrics, logger: Logger
    ) {
        self.bus = bus
        self.console = console
        self.withPayloads = withPayloads
        self.attention = attention
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
        while !Task.isCancelled {
            do {
                try await hold()
            } catch {
                let reason = "\(error)"
                logger.warning("the session with the bus has ended: \(reason)")
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
            if let attention = self.attention {
                group.addTask { try await self.glance(opened, attention) }
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

    // MARK: - Questions

    /// Asks for the numbers of the bus while a page is visible, and for the lists that these say have changed.
    private func askRepeatedly(_ link: Link) async throws {
        let bus = BusControl(link: link)
        var lastFindings: ContinuousClock.Instant?
        var lastUndelivered: [UInt64?] = []
        while !Task.isCancelled {
            await console.waitUntilWatched()
            let begun = ContinuousClock.now
            let status = try await bus.status()
            await console.update { $0.received(status, now: .now) }
            try await askForUnderWay(link, status)
            let undelivered = Self.undeliveredMarks(of: status)
            if undelivered != lastUndelivered {
                lastUndelivered = undelivered
                let document = try await bus.undelivered().json
                await console.update { $0.received(undelivered: document, now: .now) }
            }
            if lastFindings.map({ begun - $0 > Self.findingsTime }) ?? true {
                lastFindings = begun
                let findings = try await bus.check().json
                await console.update { $0.received(findings: findings, now: .now) }
            }
            try await Task.sleep(for: Self.pollTime)
        }
    }

    /// Asks for the events under way, if there are any or were, and once in any case.
    private func askForUnderWay(_ link: Link, _ status: BusStatusDocument) async throws {
        let isAny = (status.counters["eventsUnderWay"] ?? 0) > 0
        let view = await console.view
        guard !view.isOlder, isAny || view.underWay?.json != .array([]) else {
            return
        }
        let message: [UInt8]
        do {
            message = try await link.query(.underWay)
        } catch let error as CascadeError where error.reason == .unknownQuery {
            // The daemon is of an older release.
            return
        }
        let document = try ReceivedDocument<UnderWayDocument>(parsing: message).content
        await console.update { $0.received(underWay: document, now: .now) }
    }

    /// Asks for the numbers of the bus now and then while pages look at other buses.
    private func glance(_ link: Link, _ attention: Attention) async throws {
        let bus = BusControl(link: link)
        var last: ContinuousClock.Instant?
        while !Task.isCancelled {
            let now = ContinuousClock.now
            if attention.isPaid, last.map({ now - $0 >= Self.glanceTime }) ?? true,
                await !console.isWatched
            {
                last = now
                let status = try await bus.status()
                await console.update { $0.received(status, now: .now) }
            }
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// The numbers of a status that change with the list of undelivered and held messages.
    private static func undeliveredMarks(of status: BusStatusDocument) -> [UInt64?] {
        [
            status.uses?["undelivered"], status.uses?["held"], status.counters["unhandled"],
            status.counters["failed"], status.counters["timedOut"],
        ]
    }

    /// Does something while a page is visible, again and again.
    private func whileWatched(_ body: @escaping @Sendable () async throws -> Void) async throws {
        while !Task.isCancelled {
            await console.waitUntilWatched()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await body() }
                group.addTask { await self.console.waitUntilUnwatched() }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    /// Passes on the monitor events.
    private func monitor(_ link: Link) async throws {
        guard await !console.view.isTooBusyForMonitor else {
            try await Task.sleep(for: Self.pollTime)
            return
        }
        let query = InspectionQuery<MonitorEventDocument>.monitor(
            MonitorFilter(
                withPayloads: withPayloads, perSecond: Self.eventsPerSecond, withTrails: true))
        let context = AnswerContext(bus: "", now: .now, .local)
        for try await message in try await link.answers(query.subject) {
            let event = try query.document(in: message, context)
            count(event.content)
            await console.update { $0.received(event, now: .now) }
            guard await !console.view.isTooBusyForMonitor else {
                return
            }
        }
    }

    // MARK: - Tree and activity

    /// Follows the tree, and begins anew whenever a daemon has accepted the session: it may be another one.
    private func followTree(_ link: Link, _ welcomes: AsyncStream<Void>) async throws {
        let names = UserNames()
        var isWelcome = true
        while isWelcome, !Task.isCancelled {
            isWelcome = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await self.followTree(link, names)
                    return false
                }
                group.addTask {
                    for await _ in welcomes {
                        return true
                    }
                    return false
                }
                defer { group.cancelAll() }
                return try await group.next() ?? false
            }
        }
    }

    private func followTree(_ link: Link, _ names: UserNames) async throws {
        for try await message in try await link.answers(.treeChanges(path: .root, depth: .max)) {
            let answer = try TreeAnswer(parsing: message)
            await console.update { $0.received(tree: answer, now: .now, userName: names.name) }
            guard answer.version > 0 else {
                logger.notice("the bus is of an older release, and tells no changes of its tree")
                break
            }
        }
        if await console.view.isOlder {
            try await askForTree(link, names)
        }
    }

    /// Asks a bus of an older release for its tree while a page is visible, for a large one less often.
    private func askForTree(_ link: Link, _ names: UserNames) async throws {
        while !Task.isCancelled {
            await console.waitUntilWatched()
            let answer = try TreeAnswer(
                parsing: await link.query(.tree(path: .root, depth: .max)))
            await console.update { $0.received(tree: answer, now: .now, userName: names.name) }
            let isLarge = answer.nodes.count > Frame.smallTreeMax
            try await Task.sleep(for: isLarge ? Self.largeTreeTime : Self.pollTime)
        }
    }

    private func followActivity(_ link: Link) async throws {
        guard await !console.view.isOlder else {
            await console.waitUntilUnwatched()
            return
        }
        let subject = Query.Subject.activity(
            path: .root, milliseconds: Self.activityMilliseconds)
        for try await message in try await link.answers(subject) {
            let answer = try ActivityAnswer(parsing: message)
            await console.update { $0.received(activity: answer, now: .now) }
        }
    }
}

extension BusSession {
    private func count(_ event: MonitorEventDocument) {
        metrics.countMonitorEvent()
        metrics.countLeftOut(event.leftOut?.reduce(0) { $0 + $1.value } ?? 0)
    }
}

/// The names of users, each looked up once.
private final class UserNames: Sendable {
    private let names = Mutex<[UInt32: String?]>([:])

    func name(_ userID: UInt32) -> String? {
        names.withLock { names in
            if let known = names[userID] {
                return known
            }
            let name = UserName.of(userID)
            names[userID] = .some(name)
            return name
        }
    }
}
