// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadePolicy
import Glibc
package import Logging
import ServiceLifecycle
import SystemdService
import UnixSignals
import ZeroMQ

/// The daemon: an endpoint, the broker's thread, and an orderly end.
package struct Daemon: Service {
    private let configuration: DaemonConfiguration
    private let sources: ConfigurationSources
    private let release: String
    private let logger: Logger
    private let level: LogLevel

    private var options: DaemonOptions {
        configuration.options
    }

    /// - Parameters:
    ///   - configuration: what the daemon goes by.
    ///   - sources: what the configuration was read from, and is read from again at a reload.
    ///   - release: which one it is, for people.
    ///   - logger: what the daemon says of itself.
    ///   - level: that of the logger, which a reload may change.
    package init(
        _ configuration: DaemonConfiguration, from sources: ConfigurationSources, release: String,
        logger: Logger, level: LogLevel
    ) {
        self.configuration = configuration
        self.sources = sources
        self.release = release
        self.logger = logger
        self.level = level
    }

    /// Serves until SIGTERM or SIGINT asks it to stop. Throws as ``run()`` does.
    package func runUntilSignalled() async throws {
        let group = ServiceGroup(
            services: [self], gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
        try await group.run()
    }

    /// Serves until the surrounding service group shuts down gracefully. Throws ``EndpointError``
    /// or `ZeroMQError` if it cannot serve.
    package func run() async throws {
        let surroundings = ServiceSurroundings.fromEnvironment()
        let key = try ServerKey.read(options.curveKey)
        let endpoint = try Endpoint(
            options.endpoints, sockets: surroundings.busSockets, hasKey: key != nil,
            allowsPlainTCP: options.allowsPlainTCP)
        let keys = key == nil ? nil : readKeys()
        let context = try Context(maxSockets: 16, sharesReceiveBuffers: false)
        let guardThread = SocketThread(name: "guard")
        let doors = GuardServer(thread: guardThread)
        let thread = SocketThread(
            name: "broker", spinNanoseconds: UInt64(options.spinMicroseconds) * 1_000)
        let server = BrokerServer(thread: thread)
        let heard = HeardConnections()
        try guardThread.start()
        try thread.start()
        do {
            // The guard comes before the first endpoint: without it nobody is let in.
            try await doors.open(
                in: context, admitting: keys, limits: connectionLimits(), heard: heard,
                logger: logger)
            try await server.open(
                options, release: release, at: endpoint, of: surroundings, in: context,
                logger: logger, heard: heard, policy: readPolicy(), key: key)
            await loadRules(into: server)
            logger.log(
                LogRecord(
                    .info, .started,
                    "serving \(endpoint.names.joined(separator: ", ")) as process \(getpid())"))
            surroundings.notifier?.sendReady()
            try await serve(server, doors, hasKey: key != nil, surroundings)
            logger.log(LogRecord(.info, .stopping, "stopping"))
            let stopMilliseconds = await server.stopMilliseconds
            surroundings.notifier?.sendStopping(milliseconds: stopMilliseconds)
            await server.drain(milliseconds: stopMilliseconds)
        } catch {
            await close(server, thread, doors, guardThread)
            throw error
        }
        await close(server, thread, doors, guardThread)
        context.terminate()
        endpoint.remove()
        logger.log(LogRecord(.info, .stopped, "stopped"))
    }

    /// The guard reads to the end what libzmq tells, which would wait for it.
    private func close(
        _ server: BrokerServer, _ thread: SocketThread, _ doors: GuardServer,
        _ guardThread: SocketThread
    ) async {
        await server.close()
        thread.stop()
        await doors.close()
        guardThread.stop()
    }

    private func connectionLimits() throws(EndpointError) -> ConnectionLimits {
        let wanted = options.limits.connectionsPerUser
        let limits = try ConnectionLimits(
            options.limits, silenceMilliseconds: options.greetingMilliseconds)
        if limits.perUser < wanted {
            // Nobody has asked for the default; who starts a daemon by hand need not hear of it.
            let isAskedFor = configuration.origins["limits.connectionsPerUser"] != nil
            logger.log(
                LogRecord(
                    isAskedFor ? .warning : .debug, .fewDescriptors,
                    """
                    \(limits.descriptorMax) descriptors are enough for \(limits.perUser) \
                    connections of one user, not for \(wanted)
                    """, [.quota: "connectionsPerUser", .limit: "\(limits.perUser)"]))
        }
        return limits
    }

    /// Waits for the end, tells metrics, and reads everything again whenever SIGHUP says so.
    private func serve(
        _ server: BrokerServer, _ doors: GuardServer, hasKey: Bool,
        _ surroundings: ServiceSurroundings
    ) async throws {
        let metrics = try openMetrics(surroundings)
        await withTaskGroup { group in
            group.addTask {
                var reload = Reload(configuration, sources, logger, level)
                for await _ in await UnixSignalsSequence(trapping: .sighup) {
                    surroundings.notifier?.sendReloading()
                    await reload.run(server, doors, hasKey: hasKey)
                    surroundings.notifier?.sendReady()
                }
            }
            if let metrics {
                group.addTask { await metrics.serve(from: { await server.metrics() }) }
            }
            await waitForShutdown()
            group.cancelAll()
        }
        metrics?.stop()
    }

    /// Without a policy that can be read, nobody may do anything until there is one.
    private func readPolicy() -> Result<[PolicyFile], ConfigurationError> {
        do throws(ConfigurationError) {
            return .success(try DaemonFiles.policy(of: options, hadFiles: false))
        } catch {
            logger.log(
                LogRecord(
                    .critical, .policyUnusable,
                    "\(error); nobody may attach until there is a policy to read"))
            return .failure(error)
        }
    }

    private func readKeys() -> AuthorizedKeys {
        do throws(ConfigurationError) {
            return try DaemonFiles.keys(of: options)
        } catch {
            logger.log(
                LogRecord(
                    .critical, .keysUnusable,
                    "\(error); no key is admitted until that is right"))
            return AuthorizedKeys()
        }
    }

    /// A socket that the service manager has opened for metrics comes before one that the
    /// configuration names.
    private func openMetrics(_ surroundings: ServiceSurroundings) throws -> MetricsServer? {
        if let socket = surroundings.sockets.first(where: { $0.name == "metrics" }) {
            return try MetricsServer(MetricsSocket(adopting: socket.number))
        }
        guard let path = options.metricsSocket else {
            return nil
        }
        return try MetricsServer(MetricsSocket(path: path))
    }

    /// What cannot be read, or is wrong, changes nothing: a daemon without rules serves too.
    private func loadRules(into server: BrokerServer) async {
        await server.load(
            Result { () throws(RuleFilesError) in try RuleFiles.read(options.rules) })
    }

    private func waitForShutdown() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        await withGracefulShutdownHandler {
            for await _ in stream {}
        } onGracefulShutdown: {
            continuation.finish()
        }
    }
}
