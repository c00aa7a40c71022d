// SPDX-License-Identifier: Apache-2.0

#if ServiceLifecycle
public import ServiceLifecycle

extension WorkerProcess: Service {
    /// Runs `body`, and calls `onShutdown` when the service group shuts down gracefully, if there is
    /// one.
    func withShutdownHandler(
        _ body: () async throws -> Void, onShutdown: @escaping @Sendable () -> Void
    ) async throws {
        try await withGracefulShutdownHandler(operation: body, onGracefulShutdown: onShutdown)
    }
}

/// A worker as a service of a service group.
@available(*, deprecated, message: "WorkerProcess is itself a Service")
public struct WorkerService: Service {
    private let process: WorkerProcess

    public init(_ process: WorkerProcess) {
        self.process = process
    }

    /// Serves until the group shuts down gracefully. Throws as ``WorkerProcess/run()`` does.
    public func run() async throws {
        try await process.run()
    }
}
#else
extension WorkerProcess {
    /// Runs `body`: without service groups, none shuts down.
    func withShutdownHandler(
        _ body: () async throws -> Void, onShutdown: @escaping @Sendable () -> Void
    ) async throws {
        try await body()
    }
}
#endif
