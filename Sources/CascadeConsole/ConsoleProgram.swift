// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc
public import Logging
import NIOCore
import NIOPosix

/// The settings of a console.
public struct ConsoleOptions: Sendable {
    /// The endpoint of the bus; `nil` for the standard one.
    public var endpoint: String?
    public var address = ListenAddress.loopback(port: 0)
    /// Further names by which browsers reach the console.
    public var hosts: Set<String> = []
    /// Whether pages show the payloads of messages.
    public var withPayloads = true
    /// What pages may ask for, as far as policy allows it.
    public var actions: Set<ActionKind> = []
    /// The directory in which everything is recorded; `nil` to record in memory while a page is visible.
    public var recordDirectory: String?
    /// The limit of the size of all files in ``recordDirectory``, in bytes.
    public var recordByteCountMax = 1_073_741_824
    /// The file of `cascadectl capture` that is shown instead of a bus.
    public var captureFile: String?
    /// The directory from which the page is read instead of from the program.
    public var pageDirectory: String?

    public init() {}
}

/// A console that runs: one session with a bus, and a server for browsers.
public struct ConsoleProgram: Sendable {
    private let options: ConsoleOptions
    private let logger: Logger

    public init(_ options: ConsoleOptions, logger: Logger) {
        self.options = options
        self.logger = logger
    }

    /// Serves until the task is cancelled. Throws if the address is taken, or the endpoint is none.
    ///
    /// - Parameter onStart: Called with the link to open, once the console listens.
    public func run(onStart: @Sendable (String) -> Void) async throws {
        let endpoint = options.captureFile ?? options.endpoint ?? BusEndpoint.standard
        let console = Console(
            view: BusView(epoch: .random(in: 1..<(1 << 52)), now: .now),
            past: try ConsolePast(options))
        let session = BusSession(
            endpoint: endpoint, console: console, withPayloads: options.withPayloads,
            logger: logger)
        let builtIn = Assets()
        let directory = options.pageDirectory
        let service = ConsoleService(
            console: console, session: session,
            actions: Actions(admitted: options.actions, logger: logger),
            user: UserName.of(geteuid()) ?? "\(geteuid())"
        ) {
            directory.map { Assets(directory: $0) } ?? builtIn
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let server = try await HTTPServer(
                at: options.address, hosts: options.hosts, on: group)
            onStart(link(to: server, service))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                if options.captureFile == nil {
                    tasks.addTask { await session.run() }
                    tasks.addTask { await console.record(logger) }
                }
                tasks.addTask { try await server.run { await service.answer($0) } }
                defer { tasks.cancelAll() }
                try await tasks.next()
            }
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private func link(to server: HTTPServer, _ service: ConsoleService) -> String {
        let key = service.makeKey()
        return switch options.address {
        case .loopback: "http://127.0.0.1:\(server.port ?? 0)/#key=\(key)"
        case .unix: "#key=\(key)"
        }
    }
}
