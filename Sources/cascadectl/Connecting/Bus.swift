// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession
import Glibc
import Logging
import ZeroMQ

/// An accepted session with a bus.
struct Bus: Sendable {
    let endpoint: String
    let welcome: Welcome
    let link: Link
    /// The site that answers queries in place of the bus; `nil` for the bus itself.
    var asked: AskedSite?
    private let connected: BusLink

    /// The time for which a command without a deadline waits for a silent bus.
    static let silenceLimit = TimeSpan(milliseconds: 30_000)

    /// Opens a session. Throws ``Stop`` at once if no daemon listens at the endpoint, or if the bus
    /// does not answer within `limit`; throws `CascadeError` if the bus refuses the session.
    ///
    /// - Parameter program: The program that the bus shows for the session's nodes.
    static func open(
        _ options: BusOptions, program: String = "cascadectl", limit: TimeSpan = silenceLimit
    ) async throws -> Bus {
        if options.bus == nil {
            try BusEndpoint.checkUserDirectory()
        }
        let endpoint = options.endpoint
        try EndpointProbe.check(endpoint)
        var generator = SystemRandomNumberGenerator()
        let session = Session(
            secret: SessionSecret(using: &generator), program: program,
            processID: UInt32(getpid()))
        let logger = Logger(label: "cascadectl") { _ in SwiftLogNoOpLogHandler() }
        let connected: BusLink
        do {
            connected = try await BusLink(
                session: session, endpoint: endpoint, keys: try options.keys(), logger: logger)
        } catch let error as ZeroMQError {
            throw Stop(
                .usage,
                error.isBadEndpoint
                    ? BusEndpoint.malformed(endpoint) : "cannot connect to '\(endpoint)': \(error)")
        }
        do {
            let welcome = try await welcome(from: connected.link, endpoint, within: limit)
            return Bus(
                endpoint: endpoint, welcome: welcome, link: connected.link, connected: connected)
        } catch {
            await connected.close()
            throw error
        }
    }

    private static func welcome(
        from link: Link, _ endpoint: String, within limit: TimeSpan
    ) async throws -> Welcome {
        try await withThrowingTaskGroup(of: Welcome.self) { group in
            group.addTask {
                for await event in link.work {
                    switch event {
                    case .welcomed(let welcome): return welcome
                    case .noBusFound: throw Stop.noBus(endpoint)
                    case .violated(let error): throw error
                    case .invoke, .beat, .detached, .cancelled, .moved, .environment,
                        .settledBefore,
                        .reattachRefused:
                        break
                    }
                }
                throw CancellationError()
            }
            group.addTask {
                try await Task.sleep(for: .milliseconds(Int(limit.milliseconds)))
                throw Stop(.tryAgain, "the bus at \(endpoint) did not answer within \(limit)")
            }
            defer { group.cancelAll() }
            guard let welcome = try await group.next() else {
                throw CancellationError()
            }
            return welcome
        }
    }

    func close() async {
        await connected.close()
    }

    /// Runs `body`, and answers the bus's beats meanwhile. If the bus is silent at the limit, the
    /// session is closed and the operations of `body` fail.
    ///
    /// - Parameters:
    ///   - limit: The time for which `body` may wait for a silent bus.
    ///   - isFinal: Whether the limit also holds for a bus that answers beats.
    func answeringBeats<Result: Sendable>(
        limit: TimeSpan = silenceLimit, isFinal: Bool = false,
        _ body: @Sendable @escaping (Bus) async throws -> Result
    ) async throws -> Result {
        try await answeringBeats(SilenceWatch(bus: self, limit: limit, isFinal: isFinal), body)
    }

    /// Runs `body` until it ends or the bus ends the session. Waits for a silent bus without limit.
    /// Throws the error with which the bus ended the session.
    ///
    /// - Parameter onConnection: Called when the connection is lost and when it is restored.
    func watchingConnection(
        _ onConnection: @escaping @Sendable (ConnectionDocument) -> Void,
        _ body: @Sendable @escaping (Bus) async throws -> Void
    ) async throws {
        let connection = ConnectionWatch(self, onChange: onConnection)
        await link.observeConnection { connection.changed($0) }
        let watch = SilenceWatch(
            bus: self, limit: Self.silenceLimit, isFinal: false, connection: connection)
        try await answeringBeats(watch, body)
        if let violation = await watch.violation {
            throw violation
        }
    }

    private func answeringBeats<Result: Sendable>(
        _ watch: SilenceWatch, _ body: @Sendable @escaping (Bus) async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await watch.answerBeats() }
            group.addTask { try await watch.closeAfterLimit() }
            defer { group.cancelAll() }
            return try await body(self)
        }
    }
}

extension BusOptions {
    /// Opens a session, runs `body` with it, and closes it.
    ///
    /// - Parameter site: The site that answers queries in place of the bus.
    func withBus<Result: Sendable>(
        asking site: String? = nil, limit: TimeSpan = Bus.silenceLimit, isFinal: Bool = false,
        _ body: @Sendable @escaping (Bus) async throws -> Result
    ) async throws -> Result {
        let bus = try await Bus.open(self, limit: limit)
        do {
            let result = try await bus.answeringBeats(limit: limit, isFinal: isFinal) { bus in
                let bus = try await bus.asking(option: site)
                do {
                    return try await body(bus)
                } catch let error as CascadeError {
                    throw await bus.suggesting(error)
                }
            }
            await bus.close()
            return result
        } catch {
            await bus.close()
            throw error
        }
    }

    /// Opens a session, runs `body` for as long as the session lasts, and closes it.
    ///
    /// - Parameters:
    ///   - site: The site that answers queries in place of the bus.
    ///   - onConnection: Called when the connection is lost and when it is restored.
    func watchBus(
        asking site: String? = nil,
        _ onConnection: @escaping @Sendable (ConnectionDocument) -> Void,
        _ body: @Sendable @escaping (Bus) async throws -> Void
    ) async throws {
        let bus = try await Bus.open(self)
        do {
            try await bus.watchingConnection(onConnection) { bus in
                let bus = try await bus.asking(option: site)
                do {
                    try await body(bus)
                } catch let error as CascadeError {
                    throw await bus.suggesting(error)
                }
            }
            await bus.close()
        } catch {
            await bus.close()
            throw error
        }
    }
}

extension Bus {
    /// Returns a stream with an element for each change of an answer to the queries. It ends with
    /// the session. Changes that occur while the caller handles an element are combined into one.
    func changes(_ subjects: [Query.Subject]) async throws -> AsyncStream<Void> {
        var watches: [(answers: AsyncStream<[UInt8]>, initialCount: Int)] = []
        for subject in subjects {
            // The first answer is the current state; those of a monitor are events.
            let initialCount = if case .monitor = subject { 0 } else { 1 }
            watches.append((try await link.watch(subject), initialCount))
        }
        let (stream, continuation) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let watching = watches
        let task = Task {
            await withDiscardingTaskGroup { group in
                for watch in watching {
                    group.addTask {
                        for await _ in watch.answers.dropFirst(watch.initialCount) {
                            continuation.yield()
                        }
                    }
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

extension Bus {
    /// Asks the bus for an administrative change. Throws `CascadeError` if the bus refuses.
    func administer(_ change: Administer.Change) async throws {
        _ = try await link.send { Administer(request: $0, change) }
    }

    /// Returns the paths at and below `path`, down to `depth` levels, that a session holds. Throws
    /// `CascadeError` if no node is at `path`.
    func paths(from path: NodePath, depth: UInt32) async throws -> [NodePath] {
        try TreeAnswer(parsing: await query(.tree(path: path, depth: depth))).nodes
            .filter { $0.state != .vacant }.map(\.path)
    }
}
