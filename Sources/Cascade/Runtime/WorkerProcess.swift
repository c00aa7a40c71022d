// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import Glibc
public import Logging

/// A worker as a process: a session of its own over libzmq.
public struct WorkerProcess: Sendable {
    private let nodes: [Node]
    private let mount: NodePath
    private let endpoint: String
    private let program: String
    private let logger: Logger

    /// - Parameters:
    ///   - endpoint: the bus; ``BusEndpoint/standard`` unless said otherwise.
    ///   - program: what the worker calls itself in the eyes of people.
    public init(
        nodes: [Node], mount: NodePath = .root, endpoint: String = BusEndpoint.standard,
        program: String = CommandLine.arguments.first ?? "worker", logger: Logger
    ) {
        self.nodes = nodes
        self.mount = mount
        self.endpoint = endpoint
        self.program = program
        self.logger = logger
    }

    /// Connects, attaches, serves until `stop` returns, and leaves gracefully.
    public func run(
        until stop: @escaping @Sendable () async -> Void,
        onAttached: @escaping @Sendable () -> Void = {}
    ) async throws {
        var generator = SystemRandomNumberGenerator()
        let session = Session(
            id: SessionID(using: &generator), program: program, processID: UInt32(getpid()))
        let connected = try await ZeroMQLink(session: session, endpoint: endpoint, logger: logger)
        do {
            let runtime = try WorkerRuntime(
                nodes: nodes, mount: mount, link: connected.link, logger: logger)
            try await runtime.run(until: stop, onAttached: onAttached)
        } catch {
            await connected.close()
            throw error
        }
        await connected.close()
    }
}
