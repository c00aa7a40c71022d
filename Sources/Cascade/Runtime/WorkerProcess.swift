// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import Glibc
public import Logging
import UnixSignals
import ZeroMQ

/// A worker as a process: a session of its own over libzmq.
///
/// `CASCADE_NODE` gives its node another place than the program does. Started by systemd, it
/// reports when it stands in the tree, and gives signs of life.
///
/// A ``Worker`` makes one by itself. A program with options of its own makes one from them:
///
///     try await WorkerProcess(mount: "/shop") { Printer(name: name, limit: limit) }.run()
public struct WorkerProcess: Sendable {
    private let nodes: [Node]
    private let mount: NodePath
    private let endpoint: String?
    private let program: String
    private let logger: Logger

    /// - Parameters:
    ///   - mount: the path below which the nodes stand.
    ///   - endpoint: the bus; the first one that ``BusEndpoint/standard`` finds, and that serves,
    ///     unless said otherwise.
    ///   - program: what the worker calls itself in the eyes of people.
    ///   - logger: where the worker says what it does; standard error unless said otherwise.
    ///   - nodes: the nodes that the process holds.
    public init(
        mount: NodePath = .root, endpoint: String? = nil,
        program: String = CommandLine.arguments.first ?? "worker", logger: Logger? = nil,
        @NodeBuilder nodes: () -> [Node]
    ) {
        self.nodes = nodes()
        self.mount = mount
        self.endpoint = endpoint
        self.program = program
        self.logger = logger ?? Self.standardErrorLogger(for: program)
    }

    /// Connects, attaches, serves until SIGTERM or SIGINT, and leaves gracefully.
    ///
    /// Ends the process with the status 78 where its configuration is wrong, whichever way the
    /// program goes about errors: a service manager must not start it again and again.
    public func run() async throws {
        do {
            try await runUntilSignal()
        } catch let error as CascadeError where error.exitStatus == EX_CONFIG {
            logger.critical("\(error)")
            exit(EX_CONFIG)
        }
    }

    private func runUntilSignal() async throws {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let (nodes, mount) = try placed()
        try checkNames(of: nodes, below: mount)
        try await run {
            for await _ in signals {
                return
            }
        } onAttached: {
            let prefix = mount.isRoot ? "/" : "\(mount)/"
            logger.info("attached \(nodes.map { prefix + $0.name }.joined(separator: ", "))")
        }
    }

    /// Connects, attaches, serves until `stop` returns, and leaves gracefully. Throws
    /// ``CascadeError`` with ``CascadeError/Code/configuration`` where the worker's configuration is
    /// wrong; ``CascadeError/exitStatus`` is what the program ends with then.
    public func run(
        until stop: @escaping @Sendable () async -> Void,
        onAttached: @escaping @Sendable () -> Void = {}
    ) async throws {
        let (nodes, mount) = try placed()
        var generator = SystemRandomNumberGenerator()
        let session = Session(
            secret: SessionSecret(using: &generator), program: program, processID: UInt32(getpid()))
        let connected = try await connect(session)
        do {
            let runtime = try WorkerRuntime(
                nodes: nodes, mount: mount, link: connected.link, logger: logger)
            let readiness = ServiceReadiness()
            async let _ = readiness.giveSigns(by: connected.link)
            try await runtime.run {
                await stop()
                readiness.leaving()
            } onAttached: {
                readiness.attached(runtime.paths)
                onAttached()
            }
        } catch {
            await connected.close()
            throw error
        }
        await connected.close()
    }

    /// Names may come from options and files, so that one that is none is a configuration's fault.
    private func checkNames(of nodes: [Node], below mount: NodePath) throws {
        do {
            _ = try FlatNode.flatten(nodes, under: mount)
        } catch let error as CascadeError where error.code == .badName {
            throw CascadeError(.configuration, error.message)
        }
    }

    private func connect(_ session: Session) async throws -> ZeroMQLink {
        do {
            return try await ZeroMQLink(session: session, endpoint: endpoint, logger: logger)
        } catch let error as ZeroMQError where error.isBadEndpoint {
            throw CascadeError(
                .configuration,
                "cannot connect to '\(endpoint ?? BusEndpoint.standard)': \(error)")
        }
    }

    /// The nodes, and the path below which they stand, as whoever started the process wants it.
    private func placed() throws -> (nodes: [Node], mount: NodePath) {
        try AssignedPlace.place(nodes, below: mount, at: AssignedPlace.fromEnvironment)
    }

    private static func standardErrorLogger(for program: String) -> Logger {
        let name = program.split(separator: "/").last.map(String.init) ?? program
        var logger = Logger(label: name)
        logger.handler = StreamLogHandler.standardError(label: name)
        return logger
    }
}
