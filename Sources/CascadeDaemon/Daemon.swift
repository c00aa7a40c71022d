// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Glibc
package import Logging
import ServiceLifecycle
import UnixSignals
import ZeroMQ

/// The daemon: an endpoint, the broker's thread, and an orderly end.
package struct Daemon: Service {
    private let options: DaemonOptions
    private let logger: Logger

    package init(options: DaemonOptions, logger: Logger) {
        self.options = options
        self.logger = logger
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
        let endpoint = try Endpoint(options.endpoints)
        let context = try Context(maxSockets: 16, sharesReceiveBuffers: false)
        let guardThread = SocketThread(name: "guard")
        let doors = GuardServer(thread: guardThread)
        let thread = SocketThread(name: "broker", spinNanoseconds: options.spinNanoseconds)
        let server = BrokerServer(thread: thread)
        let heard = HeardConnections()
        try guardThread.start()
        try thread.start()
        do {
            // The guard comes before the first endpoint: without it nobody is let in.
            try await doors.open(
                in: context, limits: connectionLimits(), heard: heard, logger: logger)
            try await server.open(
                options, in: context, logger: logger, hasPredecessor: endpoint.hasPredecessor,
                heard: heard)
            await loadRules(into: server)
            logger.info(
                "serving \(options.endpoints.joined(separator: ", ")) as process \(getpid())")
            await serve(server)
            logger.info("stopping")
            await server.drain(milliseconds: options.stopMilliseconds)
        } catch {
            await close(server, thread, doors, guardThread)
            throw error
        }
        await close(server, thread, doors, guardThread)
        context.terminate()
        endpoint.remove()
        logger.info("stopped")
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

    private func connectionLimits() -> ConnectionLimits {
        let wanted = Limits().connectionsPerUser
        let limits = ConnectionLimits(
            Limits(), silenceMilliseconds: options.greetingMilliseconds)
        if limits.perUser < wanted {
            logger.warning(
                """
                \(limits.descriptorMax) descriptors are enough for \(limits.perUser) connections \
                of one user, not for \(wanted)
                """)
        }
        return limits
    }

    /// Waits for the end, and reads the rules again whenever SIGHUP says so.
    private func serve(_ server: BrokerServer) async {
        await withTaskGroup { group in
            group.addTask {
                for await _ in await UnixSignalsSequence(trapping: .sighup) {
                    logger.info("reloading rules")
                    await loadRules(into: server)
                }
            }
            await waitForShutdown()
            group.cancelAll()
        }
    }

    /// What cannot be read, or is wrong, changes nothing: the rules before stay.
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
