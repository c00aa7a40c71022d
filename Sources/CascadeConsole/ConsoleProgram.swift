// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc
package import Logging
import NIOCore
import NIOPosix
import SystemdService

/// A console that runs: a session with each bus, and a server for browsers.
package struct ConsoleProgram: Sendable {
    /// The port that a link names if browsers reach a Unix socket by `ssh -L 4270:PATH`.
    private static let forwardedPort = 4_270
    /// The time without a request after which a console ends that the service manager has started on demand.
    private static let idleLimit = Duration.seconds(600)

    private var options: ConsoleOptions
    /// Whether the service manager has opened the sockets.
    private let isActivated: Bool
    private let logger: Logger

    /// Sockets that the service manager has opened come in place of the addresses of the options.
    package init(_ options: ConsoleOptions, logger: Logger) {
        self.options = options
        self.logger = logger
        let inherited = InheritedDescriptor.fromEnvironment()
        isActivated = !inherited.isEmpty
        if isActivated {
            self.options.addresses = inherited.map { .inherited($0.number) }
            self.options.idleLimit = options.idleLimit ?? Self.idleLimit
        }
    }

    /// Serves until the task is cancelled, or until the console has been idle for too long. Throws if an
    /// address is taken, or an endpoint is none.
    ///
    /// - Parameter onStart: Called with the link to open, once the console listens; not under the service
    ///   manager, whose journal others may read.
    package func run(onStart: @Sendable (String) -> Void) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            try await serve(on: group, onStart: onStart)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private func serve(
        on group: MultiThreadedEventLoopGroup, onStart: @Sendable (String) -> Void
    ) async throws {
        let rule = PeerRule(ownID: geteuid(), proxyID: options.proxyUserID)
        let server = try await HTTPServer(
            at: options.addresses, hosts: options.hosts, base: options.base, admitting: rule,
            on: group)
        let metrics = ConsoleMetrics()
        let buses = try buses(metrics)
        let builtIn = Assets()
        let directory = options.pageDirectory
        let service = ConsoleService(
            buses: buses, actions: Actions(admitted: options.actions, logger: logger),
            metrics: metrics, user: UserName.of(geteuid()) ?? "\(geteuid())",
            at: .init(address: address(of: server), base: options.base, rule: rule)
        ) {
            directory.map { Assets(directory: $0) } ?? builtIn
        }
        if !isActivated {
            onStart(service.makeLink())
        }
        ServiceNotifier.fromEnvironment()?.send(["READY=1"])
        let idleness = Idleness()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for bus in buses.all {
                // A file is shown instead of a bus.
                if options.captureFile == nil {
                    tasks.addTask { await bus.session.run() }
                    tasks.addTask { await bus.console.record(logger) }
                }
            }
            tasks.addTask {
                try await server.run { request in
                    await idleness.whileBusy { await service.answer(request) }
                }
            }
            // A recording that never pauses keeps the console.
            if let limit = options.idleLimit, options.recordDirectory == nil {
                tasks.addTask { try await idleness.wait(for: limit) }
            }
            defer { tasks.cancelAll() }
            try await tasks.next()
        }
    }

    private func buses(_ metrics: ConsoleMetrics) throws -> Buses {
        let pageActivity = PageActivity()
        let shown =
            options.buses.isEmpty
            ? [ConsoleOptions.Bus(BusEndpoint.standard)].compactMap(\.self) : options.buses
        let all = try shown.map { bus in
            let console = Console(
                view: BusView(epoch: .random(in: 1..<(1 << 52)), now: .now),
                past: try ConsolePast(options), metrics: metrics)
            return ShownBus(
                name: bus.name, console: console,
                session: BusSession(
                    bus: bus, console: console,
                    withPayloads: options.withPayloads ?? !bus.isOfSystem,
                    pageActivity: shown.count > 1 ? pageActivity : nil, metrics: metrics,
                    logger: logger))
        }
        return Buses(all: all, pageActivity: pageActivity)
    }

    /// Returns the address of links, without a key.
    private func address(of server: HTTPServer) -> String {
        let path = "\(options.base)/"
        if options.proxyUserID != nil, let host = options.hosts.min() {
            return "https://\(host)\(path)"
        }
        return "http://127.0.0.1:\(server.port ?? Self.forwardedPort)\(path)"
    }
}

/// The time since the last request.
private actor Idleness {
    private var last = ContinuousClock.now
    private var requestCount = 0

    func whileBusy(_ answer: @Sendable () async -> Response) async -> Response {
        requestCount += 1
        let response = await answer()
        requestCount -= 1
        last = .now
        return response
    }

    /// Returns when there has been no request for as long.
    func wait(for limit: Duration) async throws {
        while requestCount > 0 || .now - last < limit {
            let left = requestCount > 0 ? limit : limit - (.now - last)
            try await Task.sleep(for: left)
        }
    }
}
