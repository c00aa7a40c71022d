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
        let service: any Service = WorkerProcess(endpoint: "ipc:///nobody-serves-this") {
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

    @Test func `a worker that is the whole program exits with 78 if its configuration is wrong`()
        async
    {
        await #expect(processExitsWith: .exitCode(78)) {
            await WorkerProcess(endpoint: "nonsense") { Node("shop") }.main()
        }
        await #expect(processExitsWith: .exitCode(78)) {
            await WorkerProcess(endpoint: "ipc:///nobody-serves-this") { Node("no name") }
                .main()
        }
    }

    /// A service that records its graceful shutdown.
    private struct Database: Service {
        let journal: Journal

        func run() async throws {
            try await gracefulShutdown()
            await journal.note("closed")
        }
    }

    @Test func `a worker with a wrong configuration lets its group shut down the other services`()
        async throws
    {
        let journal = Journal()
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    .init(service: Database(journal: journal)),
                    .init(
                        service: WorkerProcess(endpoint: "nonsense") { Node("shop") },
                        failureTerminationBehavior: .gracefullyShutdownGroup),
                ], logger: .silent))
        await #expect {
            try await group.run()
        } throws: {
            ($0 as? CascadeError)?.exitStatus == 78
        }
        #expect(await journal.entries == ["closed"])
    }

    @Test func `a program that stops a worker itself gets a wrong configuration as an error`() async
    {
        for worker in [
            WorkerProcess(endpoint: "nonsense") { Node("shop") },
            WorkerProcess(endpoint: "ipc:///nobody-serves-this") { Node("no name") },
            WorkerProcess(endpoint: "ipc:///nobody-serves-this") {},
            WorkerProcess(endpoint: "ipc:///nobody-serves-this") {
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
