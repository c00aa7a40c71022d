// SPDX-License-Identifier: Apache-2.0

#if ServiceLifecycle
import Cascade
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct WorkerServiceTests {
    // No daemon serves the endpoint, so there is no tree to leave and nothing to wait for. With a
    // daemon: WorkerGroupTests of the integration tests.
    @Test func `a worker in a service group ends on graceful shutdown even without a bus`()
        async throws
    {
        let service: any Service = WorkerProcess(endpoint: "inproc://nobody-serves-this") {
            Node("shop")
        }
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await service.run() }
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
    }

    @Test func `a worker with a wrong configuration exits with 78, also in a service group`() async
    {
        await #expect(processExitsWith: .exitCode(78)) {
            let service: any Service = WorkerProcess(endpoint: "nonsense") { Node("shop") }
            try await service.run()
        }
        await #expect(processExitsWith: .exitCode(78)) {
            try await WorkerProcess(endpoint: "inproc://nobody-serves-this") { Node("no name") }
                .run()
        }
    }

    @Test func `a program that stops a worker itself gets a wrong configuration as an error`() async
    {
        for worker in [
            WorkerProcess(endpoint: "nonsense") { Node("shop") },
            WorkerProcess(endpoint: "inproc://nobody-serves-this") { Node("no name") },
            WorkerProcess(endpoint: "inproc://nobody-serves-this") {},
            WorkerProcess(endpoint: "inproc://nobody-serves-this") {
                Node("shop") {
                    Node("tray")
                    Node("tray")
                }
            },
        ] {
            await #expect {
                try await worker.run(until: {})
            } throws: {
                let error = $0 as? CascadeError
                return error?.code == .configuration && error?.exitStatus == 78
            }
        }
    }
}
#endif
