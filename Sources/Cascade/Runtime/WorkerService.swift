// SPDX-License-Identifier: Apache-2.0

#if ServiceLifecycle
public import ServiceLifecycle

/// A worker as a service of a service group, which shuts down with the group.
public struct WorkerService: Service {
    private let process: WorkerProcess

    public init(_ process: WorkerProcess) {
        self.process = process
    }

    /// Serves until the group shuts down gracefully; then the nodes leave the tree.
    public func run() async throws {
        let (stopped, continuation) = AsyncStream.makeStream(of: Void.self)
        try await withGracefulShutdownHandler {
            try await process.run {
                for await _ in stopped {}
            }
        } onGracefulShutdown: {
            continuation.finish()
        }
    }
}
#endif
