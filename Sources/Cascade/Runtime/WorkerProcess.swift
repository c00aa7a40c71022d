// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import Glibc
public import Logging
import Synchronization
import SystemdService
import UnixSignals
import ZeroMQ

/// A worker as a process, with its own session.
///
/// `CASCADE_NODE` overrides the place of its nodes. Under systemd, the process reports when its
/// nodes are attached, and sends watchdog notifications.
///
/// A ``Worker`` creates one by itself. A program with its own options creates one from them:
///
///     await WorkerProcess(mount: "/shop") { Printer(name: name, limit: limit) }.main()
///
/// With the package trait `ServiceLifecycle`, which is enabled by default, it is also a `Service`, beside
/// the other services of a program:
///
///     let group = ServiceGroup(
///         services: [database, worker], gracefulShutdownSignals: [.sigterm], logger: logger)
///     try await group.run()
///
/// The worker then leaves the tree when the group shuts it down.
public struct WorkerProcess: Sendable {
    private let nodes: [Node]
    private let mount: NodePath
    private let endpoint: String?
    private let program: String
    private let logger: Logger

    /// Creates a worker. It connects and attaches its nodes in ``run()``.
    ///
    /// - Parameters:
    ///   - mount: The path below which the nodes are attached.
    ///   - endpoint: The bus; with `nil`, the one that ``BusEndpoint/standard`` finds for each
    ///     connection, until one has served.
    ///   - program: The name of the worker for people.
    ///   - logger: The log; with `nil`, a logger of the program's `LoggingSystem`, which writes to
    ///     standard error unless the program has bootstrapped it otherwise.
    ///   - nodes: The nodes of the process.
    public init(
        mount: NodePath = .root, endpoint: String? = nil,
        program: String = CommandLine.arguments.first ?? "worker", logger: Logger? = nil,
        @NodeBuilder nodes: () -> [Node]
    ) {
        self.nodes = nodes()
        self.mount = mount
        self.endpoint = endpoint
        self.program = program
        self.logger = logger ?? Logger(label: Self.name(of: program))
    }

    /// Runs the worker as the whole program, as ``run()`` does.
    ///
    /// An error is logged, and ends the program: with its ``CascadeError/exitStatus``, which is 78 if
    /// the configuration is wrong, or with status 1.
    public func main() async {
        do {
            try await run()
        } catch {
            logger.critical("\(error)")
            exit((error as? CascadeError)?.exitStatus ?? EXIT_FAILURE)
        }
    }

    /// Connects, attaches the nodes, serves until SIGTERM or SIGINT, and leaves gracefully.
    ///
    /// In a service group it serves until the group shuts down gracefully. A signal that the program
    /// handles itself, as a service group does, is left to the program.
    ///
    /// Throws ``CascadeError``, and the error of a node's task. A program that ends because of a
    /// ``CascadeError`` exits with its ``CascadeError/exitStatus``, so that a service manager does not
    /// restart it repeatedly; ``main()`` does so.
    public func run() async throws {
        let trapped = StopSignals.untrapped()
        let signals = trapped.isEmpty ? nil : await UnixSignalsSequence(trapping: trapped)
        let (shutdown, continuation) = AsyncStream.makeStream(of: Void.self)
        let (nodes, mount) = try placed()
        try await withShutdownHandler {
            try await run {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for await _ in shutdown {}
                    }
                    if let signals {
                        group.addTask {
                            for await _ in signals {
                                return
                            }
                        }
                    }
                    await group.next()
                    group.cancelAll()
                }
            } onAttached: {
                let prefix = mount.isRoot ? "/" : "\(mount)/"
                logger.info("attached \(nodes.map { prefix + $0.name }.joined(separator: ", "))")
            }
        } onShutdown: {
            continuation.finish()
        }
    }

    /// Connects, attaches the nodes, serves until `stop` returns, and leaves gracefully. Throws
    /// ``CascadeError``; its code is ``CascadeError/Code/configuration`` if the configuration is
    /// wrong, and ``CascadeError/exitStatus`` is the status for the program.
    public func run(
        until stop: @escaping @Sendable () async -> Void,
        onAttached: @escaping @Sendable () -> Void = {}
    ) async throws {
        let (nodes, mount) = try placed()
        try check(nodes, below: mount)
        var generator = SystemRandomNumberGenerator()
        let session = Session(
            secret: SessionSecret(using: &generator), program: program, processID: UInt32(getpid()))
        let connected = try await connect(session)
        do {
            let runtime = try WorkerRuntime(
                nodes: nodes, mount: mount, link: connected.link, on: connected.thread,
                logger: logger)
            let readiness = ServiceReadiness()
            async let _ = readiness.sendWatchdog(by: connected.link)
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

    /// Checks what the bus would refuse at each start. Names and nodes may come from options and files, so
    /// an error in them is a configuration error.
    private func check(_ nodes: [Node], below mount: NodePath) throws {
        guard !nodes.isEmpty else {
            throw CascadeError(.configuration, "the worker declares no node: its body is empty")
        }
        var paths: Set<NodePath> = []
        do {
            for node in try PlacedNode.flatten(nodes, under: mount)
            where !paths.insert(node.path).inserted {
                throw CascadeError(
                    .configuration,
                    "the path '\(node.path)' is declared twice: give each node below one parent a "
                        + "name of its own")
            }
        } catch let error as CascadeError where error.code == .badName {
            throw CascadeError(.configuration, error.message)
        }
    }

    private func connect(_ session: consuming Session) async throws -> BusLink {
        do {
            return try await BusLink(session: session, endpoint: endpoint, logger: logger)
        } catch let error as ZeroMQError where error.isBadEndpoint {
            throw CascadeError(
                .configuration,
                "cannot connect: " + BusEndpoint.malformed(endpoint ?? BusEndpoint.standard))
        }
    }

    /// Returns the nodes and the path below which they are attached, with `CASCADE_NODE` applied.
    private func placed() throws -> (nodes: [Node], mount: NodePath) {
        try WorkerPlace.place(nodes, below: mount, at: WorkerPlace.fromEnvironment)
    }

    /// The last component of a program's path.
    private static func name(of program: String) -> String {
        program.split(separator: "/").last.map(String.init) ?? program
    }
}

/// The signals that end a worker.
enum StopSignals {
    private static let all: [UnixSignal] = [.sigterm, .sigint]
    /// The signals that a worker of this program has trapped.
    private static let trapped = Mutex<Set<Int32>>([])

    /// Returns the signals for a worker to trap: those without a handler of the program. An ignored
    /// signal has none.
    static func untrapped() -> [UnixSignal] {
        trapped.withLock { trapped in
            let free = all.filter { trapped.contains($0.rawValue) || !isHandled($0.rawValue) }
            trapped.formUnion(free.map(\.rawValue))
            return free
        }
    }

    private static func isHandled(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0,
            let handler = action.__sigaction_handler.sa_handler
        else {
            return false
        }
        // SIG_IGN is the address 1, and SIG_DFL is nil.
        return unsafeBitCast(handler, to: Int.self) != 1
    }
}

/// The place that `CASCADE_NODE` assigns to a worker: a path, with or without the leading slash. It
/// overrides the mount and, for a single node, the name in the program.
enum WorkerPlace {
    static var fromEnvironment: String? {
        getenv("CASCADE_NODE").map { String(cString: $0) }
    }

    /// Returns the nodes and their mount. A single node is attached at the assigned path itself;
    /// several nodes below it. Throws ``CascadeError`` if the text is not a path.
    static func place(
        _ nodes: [Node], below mount: NodePath, at text: String?
    ) throws -> (nodes: [Node], mount: NodePath) {
        guard let text, !text.isEmpty else {
            return (nodes, mount)
        }
        do {
            let path = try NodePath(text.hasPrefix("/") ? text : "/" + text)
            guard nodes.count == 1, var node = nodes.first, let parent = path.parent else {
                return (nodes, path)
            }
            node.name = path.name
            return ([node], parent)
        } catch {
            throw CascadeError(.configuration, "CASCADE_NODE: \(error.description)")
        }
    }
}

/// The status notifications of a worker to the service manager, if there is one: attached, alive,
/// leaving.
package struct ServiceReadiness: Sendable {
    private let notifier = ServiceNotifier.fromEnvironment()
    /// The interval of the watchdog notifications; `nil` without a watchdog.
    private let watchdogNanoseconds = WatchdogPeriod.halfFromEnvironment()

    package init() {}

    package func attached(_ paths: [NodePath]) {
        let places = paths.map(\.description).joined(separator: ", ")
        notifier?.send(["READY=1", ServiceNotifier.status("attached \(places)")])
    }

    package func leaving() {
        notifier?.send(["STOPPING=1", ServiceNotifier.status("leaving")])
    }

    /// Sends watchdog notifications until the task is cancelled. Each follows a round trip through
    /// the executor of the responders and the link's thread, as the answer to a beat of the bus
    /// does. The notifications need no bus, so a worker may wait for a bus without limit.
    package func sendWatchdog(by link: Link) async {
        guard let notifier, let watchdogNanoseconds else {
            return
        }
        while !Task.isCancelled {
            await link.roundTrip()
            notifier.send(["WATCHDOG=1"], waiting: false)
            try? await Task.sleep(for: .nanoseconds(Int64(watchdogNanoseconds)))
        }
    }
}

extension Logger {
    /// A logger without output.
    package static let silent = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
}
