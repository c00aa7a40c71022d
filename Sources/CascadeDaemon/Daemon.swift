// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadePolicy
package import CascadeService
import Glibc
package import Logging
import ServiceLifecycle
import SystemdService
import UnixSignals
import ZeroMQ

/// The daemon: serves the bus at its endpoints until it is asked to stop.
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
    ///   - configuration: the settings of the daemon.
    ///   - sources: where the configuration was read from; a reload reads it again.
    ///   - release: the version shown to users.
    ///   - logger: receives the daemon's log entries.
    ///   - level: the logger's level, which a reload may change.
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

    /// Serves until SIGTERM or SIGINT. Throws the errors of ``run()``.
    package func runUntilSignalled() async throws {
        let group = ServiceGroup(
            services: [self], gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
        try await group.run()
    }

    /// Serves until the surrounding service group shuts down gracefully. Throws `EndpointError`
    /// or `ZeroMQError` if the daemon cannot serve.
    package func run() async throws {
        // A SIGHUP would end the daemon before it is trapped. One that arrives meanwhile reloads as soon as
        // the daemon serves.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let serviceEnvironment = ServiceEnvironment.fromEnvironment()
        let key = try ServerKey.read(options.curveKey)
        let endpoint = try Endpoint(
            options.endpoints, sockets: serviceEnvironment.busSockets, hasKey: key != nil,
            allowsPlainTCP: options.allowsPlainTCP)
        let keys = key == nil ? nil : readKeys()
        let usesLibzmq =
            endpoint.hasTCP || options.transport == LocalTransportChoice.libzmq.rawValue
        let libzmq =
            usesLibzmq
            ? Libzmq(context: try Context(maxSockets: 16, sharesReceiveBuffers: false)) : nil
        let guardThread = SocketThread(name: "guard")
        let guardServer = GuardServer(thread: guardThread)
        let thread = SocketThread(
            name: "broker", spinNanoseconds: UInt64(options.spinMicroseconds) * 1_000)
        let server = BrokerServer(thread: thread)
        try guardThread.start()
        try thread.start()
        do {
            // The guard starts before the first endpoint is bound: libzmq admits no peer without
            // it.
            if let libzmq {
                try await guardServer.open(
                    libzmq, admitting: keys,
                    limits: try DescriptorLimits(
                        options.limits, descriptorMax: DescriptorLimits.raiseDescriptorLimit(),
                        isShared: true, usesLibzmq: true),
                    silenceMilliseconds: options.greetingMilliseconds, logger: logger)
            }
            let limits = try await server.open(
                options, release: release, at: endpoint, of: serviceEnvironment, libzmq: libzmq,
                logger: logger, policy: readPolicy(), key: key)
            logShortage(of: limits)
            warnOfLibzmq(at: endpoint)
            logger.warn(ofRenamedSettings: configuration)
            await loadRules(into: server)
            logger.log(
                LogRecord(
                    .info, .started,
                    "serving \(endpoint.names.joined(separator: ", ")) as process \(getpid())"))
            serviceEnvironment.notifier?.sendReady()
            try await serve(
                server, guardServer, hasKey: key != nil, reloadingAt: hangUps, serviceEnvironment)
            logger.log(LogRecord(.info, .stopping, "stopping"))
            let stopMilliseconds = await server.stopMilliseconds
            serviceEnvironment.notifier?.sendStopping(milliseconds: stopMilliseconds)
            await server.drain(milliseconds: stopMilliseconds)
        } catch {
            await close(server, thread, guardServer, guardThread)
            endpoint.remove()
            throw error
        }
        await close(server, thread, guardServer, guardThread)
        libzmq?.context.terminate()
        endpoint.remove()
        logger.log(LogRecord(.info, .stopped, "stopped"))
    }

    /// The guard stops last: libzmq blocks until the guard has read the events of all connections.
    private func close(
        _ server: BrokerServer, _ thread: SocketThread, _ guardServer: GuardServer,
        _ guardThread: SocketThread
    ) async {
        await server.close()
        thread.stop()
        await guardServer.close()
        guardThread.stop()
    }

    /// Warns if there are too few descriptors for the connections that the configuration allows.
    private func logShortage(of limits: DescriptorLimits) {
        let wanted = options.limits.connectionsPerUser
        guard limits.perUser < wanted else {
            return
        }
        // The default was not asked for: a daemon started by hand need not warn about it.
        let isAskedFor = configuration.origins["limits.connectionsPerUser"] != nil
        logger.log(
            LogRecord(
                isAskedFor ? .warning : .debug, .fewDescriptors,
                """
                \(limits.descriptorMax) descriptors are enough for \(limits.perUser) connections of \
                one user, not for \(wanted)
                """, [.quota: "connectionsPerUser", .limit: "\(limits.perUser)"]))
    }

    /// Warns if libzmq serves unix sockets: it cannot bound what a member of their group does.
    private func warnOfLibzmq(at endpoint: Endpoint) {
        if options.transport == LocalTransportChoice.libzmq.rawValue, endpoint.hasUnixSocket {
            logger.log(
                LogRecord(
                    .warning, .slowTransport,
                    """
                    libzmq serves the unix sockets (transport: libzmq): the bus is slower, and a user \
                    that opens connections in a loop keeps others from connecting
                    """))
        }
    }

    /// Serves metrics, and reloads the configuration at each SIGHUP, until shutdown.
    private func serve(
        _ server: BrokerServer, _ guardServer: GuardServer, hasKey: Bool,
        reloadingAt hangUps: UnixSignalsSequence, _ serviceEnvironment: ServiceEnvironment
    ) async throws {
        let metrics = try openMetrics(serviceEnvironment)
        await withTaskGroup { group in
            group.addTask {
                var reload = Reload(configuration, sources, logger, level)
                for await _ in hangUps {
                    serviceEnvironment.notifier?.sendReloading()
                    await reload.run(server, guardServer, hasKey: hasKey)
                    serviceEnvironment.notifier?.sendReady()
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

    /// Without a readable policy the bus denies everything until a reload finds one.
    private func readPolicy() -> Result<[PolicyFile], ConfigurationError> {
        do throws(ConfigurationError) {
            return .success(try DaemonFiles.policy(of: options, hadFiles: false))
        } catch {
            logger.log(
                LogRecord(
                    .critical, .policyUnusable,
                    "\(error); no peer may attach until a valid policy is loaded"))
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
                    "\(error); no key is admitted until this is corrected"))
            return AuthorizedKeys()
        }
    }

    /// Opens the metrics socket. A socket passed by the service manager takes precedence over the
    /// configured path.
    private func openMetrics(_ serviceEnvironment: ServiceEnvironment) throws -> MetricsServer? {
        if let socket = serviceEnvironment.sockets.first(where: { $0.name == "metrics" }) {
            return try MetricsServer(MetricsSocket(adopting: socket.number))
        }
        guard let path = options.metricsSocket else {
            return nil
        }
        return try MetricsServer(MetricsSocket(path: path))
    }

    /// Files that cannot be read are reported; the daemon serves without rules.
    private func loadRules(into server: BrokerServer) async {
        await server.load(
            Result { () throws(GuardedFileError) in try RuleFiles.read(options.rules) })
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
