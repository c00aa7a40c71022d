// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestSupport
import Foundation
import Logging
import Testing

extension Faults {
    /// Observers that cannot decode an event: the event continues, and the worker logs a warning.
    @FaultThread
    @Suite struct UnreadObservationTests {
        struct Order: Event {
            let table: Int
        }

        struct Bill: Event {
            let table: Int
        }

        @Test func `an observer that cannot decode an event warns once for each name and node`()
            throws
        {
            try FaultBus.open { bus in
                let lines = LogLines()
                let (stopped, stop) = AsyncStream.makeStream(of: Void.self)
                let endpoint = bus.endpoint
                let worker = Task.detached {
                    try await WorkerProcess(
                        endpoint: endpoint, logger: Logger(label: "worker") { _ in lines }
                    ) {
                        Node("shop") {
                            Node("floor").observe(Order.self) { _ in lines.append("seen") }
                        }
                        .observe(Order.self) { _ in }.observe(Bill.self) { _ in }.handle { _ in }
                    }
                    .run {
                        for await _ in stopped {}
                    }
                }
                defer { worker.cancel() }
                try bus.wait("/shop/floor", "live")
                for name in ["Order", "Order", "Bill", "Bill"] {
                    let outcome = try bus.trigger(name, [#""four""#, "--from", "/shop/floor"])
                    #expect(outcome.outcome == "handled")
                }
                try bus.run(["trigger", "Order", #"{"table":4}"#, "--from", "/shop/floor"])
                    .expectSuccess()
                stop.finish()
                try bus.run(["wait", "/shop", "--state", "gone", "--timeout", "20s"])
                    .expectSuccess()
                let warnings = lines.all.filter { $0.hasPrefix("warning: ") }
                #expect(
                    warnings.compactMap { $0.components(separatedBy: " (logged once)").first } == [
                        "warning: /shop/floor cannot observe Order",
                        "warning: /shop cannot observe Order",
                        "warning: /shop cannot observe Bill",
                    ])
                #expect(lines.all.filter { $0 == "seen" }.count == 1)
            }
        }
    }
}
