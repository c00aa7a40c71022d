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
    private let connected: ZeroMQLink

    /// The time after which a command without a deadline gives up on a silent bus.
    static let patience = TimeSpan(milliseconds: 30_000)

    /// Opens a session. Throws ``Stop`` at once if there is no bus, and `CascadeError` if the bus
    /// refuses the session.
    static func open(_ options: BusOptions, patience: TimeSpan = patience) async throws -> Bus {
        let endpoint = options.endpoint
        try EndpointProbe.check(endpoint)
        var generator = SystemRandomNumberGenerator()
        let session = Session(
            secret: SessionSecret(using: &generator), program: "cascadectl",
            processID: UInt32(getpid()))
        let logger = Logger(label: "cascadectl") { _ in SwiftLogNoOpLogHandler() }
        let connected: ZeroMQLink
        do {
            connected = try await ZeroMQLink(
                session: session, endpoint: endpoint, keys: try options.keys(), logger: logger)
        } catch let error as ZeroMQError {
            throw Stop(.usage, "cannot connect to '\(endpoint)': \(error)")
        }
        do {
            let welcome = try await welcome(from: connected.link, endpoint, within: patience)
            return Bus(
                endpoint: endpoint, welcome: welcome, link: connected.link, connected: connected)
        } catch {
            await connected.close()
            throw error
        }
    }

    private static func welcome(
        from link: Link, _ endpoint: String, within patience: TimeSpan
    ) async throws -> Welcome {
        try await withThrowingTaskGroup(of: Welcome.self) { group in
            group.addTask {
                for await event in link.work {
                    switch event {
                    case .welcomed(let welcome): return welcome
                    case .foundNobody: throw Stop.noBus(endpoint)
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
                try await Task.sleep(for: .milliseconds(Int(patience.milliseconds)))
                throw Stop(.tryAgain, "the bus at \(endpoint) did not answer within \(patience)")
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

    /// Runs `body` and answers the bus's beats. If the bus is silent after the limit, the
    /// operations in `body` fail.
    ///
    /// - Parameters:
    ///   - limit: The time after which a silent bus ends the wait.
    ///   - isFinal: Whether the limit also applies to a bus that answers.
    func attended<Result: Sendable>(
        limit: TimeSpan = patience, isFinal: Bool = false,
        _ body: @Sendable @escaping (Bus) async throws -> Result
    ) async throws -> Result {
        try await attended(SilenceWatch(bus: self, limit: limit, isFinal: isFinal), body)
    }

    /// Runs `body` for the life of the session, with no limit for the absence of the bus.
    ///
    /// - Parameter onConnection: Called when the connection is lost and when it is restored.
    func watched(
        _ onConnection: @escaping @Sendable (ConnectionDocument) -> Void,
        _ body: @Sendable @escaping (Bus) async throws -> Void
    ) async throws {
        let connection = ConnectionWatch(self, onChange: onConnection)
        await link.observeConnection { connection.changed($0) }
        let watch = SilenceWatch(
            bus: self, limit: Self.patience, isFinal: false, connection: connection)
        try await attended(watch, body)
        if let violation = await watch.violation {
            throw violation
        }
    }

    private func attended<Result: Sendable>(
        _ watch: SilenceWatch, _ body: @Sendable @escaping (Bus) async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await watch.attend() }
            group.addTask { try await watch.giveUpAfterLimit() }
            defer { group.cancelAll() }
            return try await body(self)
        }
    }
}

extension BusOptions {
    /// Opens a session, runs `body` with it, and closes it.
    func withBus<Result: Sendable>(
        limit: TimeSpan = Bus.patience, isFinal: Bool = false,
        _ body: @Sendable @escaping (Bus) async throws -> Result
    ) async throws -> Result {
        let bus = try await Bus.open(self, patience: limit)
        do {
            let result = try await bus.attended(limit: limit, isFinal: isFinal, body)
            await bus.close()
            return result
        } catch {
            await bus.close()
            throw error
        }
    }

    /// Opens a session, runs `body` until it is interrupted, and closes the session.
    ///
    /// - Parameter onConnection: Called when the connection is lost and when it is restored.
    func watchBus(
        _ onConnection: @escaping @Sendable (ConnectionDocument) -> Void,
        _ body: @Sendable @escaping (Bus) async throws -> Void
    ) async throws {
        let bus = try await Bus.open(self)
        do {
            try await bus.watched(onConnection, body)
            await bus.close()
        } catch {
            await bus.close()
            throw error
        }
    }
}
