// SPDX-License-Identifier: Apache-2.0

#if ServiceLifecycle
import Cascade
import CascadeTestSupport
import Glibc
import Logging
import ServiceLifecycle
import Testing

extension Faults {
    /// A worker beside other services of a program, on a bus.
    @FaultThread
    @Suite struct WorkerGroupTests {
        /// A service that ends when its group shuts it down.
        private struct Database: Service {
            func run() async throws {
                try await gracefulShutdown()
            }
        }

        @Test func `a worker leaves the tree when its service group shuts down`() throws {
            try FaultBus.open { bus in
                let lines = LogLines()
                let log = Logger(label: "group") { _ in lines }
                let worker = WorkerProcess(endpoint: bus.endpoint, logger: log) {
                    Node("shop").handle { _ in }
                }
                let group = ServiceGroup(services: [Database(), worker], logger: log)
                Task.detached {
                    try await group.run()
                    lines.append("the group has ended")
                }
                try bus.wait("/shop", "live")
                Task.detached { await group.triggerGracefulShutdown() }
                let gone = ["wait", "/shop", "--state", "gone", "--timeout", "20s"]
                try bus.run(gone).expectSuccess()
                try Patience.until("the group ends") { lines.all.contains("the group has ended") }
            }
        }
    }
}
#endif
