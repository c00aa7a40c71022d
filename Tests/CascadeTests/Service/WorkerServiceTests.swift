// SPDX-License-Identifier: Apache-2.0

#if ServiceLifecycle
import Cascade
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct WorkerServiceTests {
    // No daemon serves the endpoint, so there is no tree to leave and nothing to wait for.
    @Test func `a worker service without a bus ends on graceful shutdown`() async throws {
        let service = WorkerService(
            WorkerProcess(endpoint: "inproc://unserved") { Node("shop") })
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await service.run() }
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
    }

    @Test func `a worker with an invalid endpoint ends its service with an error`() async throws {
        let service = WorkerService(WorkerProcess(endpoint: "nonsense") { Node("shop") })
        await #expect(throws: (any Error).self) { try await service.run() }
    }

    @Test func `a worker with an invalid name ends its service with badName`() async throws {
        let service = WorkerService(
            WorkerProcess(endpoint: "inproc://unserved") { Node("no name") })
        await #expect { try await service.run() } throws: {
            ($0 as? CascadeError)?.code == .badName
        }
    }
}
#endif
