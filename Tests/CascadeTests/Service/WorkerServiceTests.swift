// SPDX-License-Identifier: Apache-2.0

#if ServiceLifecycle
import Cascade
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct WorkerServiceTests {
    // Nobody serves the endpoint: without a bus there is no tree to leave, and nothing to wait for.
    @Test("A worker as a service ends when its group shuts down, bus or no bus")
    func shutdown() async throws {
        let service = WorkerService(
            WorkerProcess(endpoint: "inproc://nobody-serves-this") { Node("shop") })
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await service.run() }
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
    }

    @Test("A worker that cannot begin ends its service with the error")
    func badEndpoint() async throws {
        let service = WorkerService(WorkerProcess(endpoint: "nonsense") { Node("shop") })
        await #expect(throws: (any Error).self) { try await service.run() }
    }

    @Test("A worker with a bad name ends its service with words about the name")
    func badName() async throws {
        let service = WorkerService(
            WorkerProcess(endpoint: "inproc://nobody-serves-this") { Node("no name") })
        await #expect { try await service.run() } throws: {
            ($0 as? CascadeError)?.code == .badName
        }
    }
}
#endif
