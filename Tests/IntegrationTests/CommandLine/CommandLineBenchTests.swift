// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension CommandLineContract {
    /// The nodes that a bench leaves on a bus of others.
    @FaultThread
    @Suite struct CommandLineBenchTests {
        @Test(arguments: ["rtt", "chain", "fanout", "oneway"])
        func `a bench removes its nodes at its end`(test: String) throws {
            try FaultBus.open { bus in
                let ending = try bus.run(
                    [
                        "bench", test, "--bus", bus.endpoint, "--count", "40", "--depth", "3",
                        "--receivers", "3", "--json",
                    ])
                ending.expectSuccess()
                #expect(try ending.document().members.count == 2)
                #expect(try bus.tree().nodes.map(\.path) == ["/", "/witness"])
                #expect(try bus.counters()["nodesLost"] == 0)
            }
        }

        @Test(arguments: [SIGINT, SIGTERM])
        func `a bench removes its nodes when it is interrupted`(number: Int32) throws {
            try FaultBus.open { bus in
                let bench = try bus.start(
                    [
                        "bench", "chain", "--bus", bus.endpoint, "--count", "10000000", "--depth",
                        "3",
                    ])
                let sender = "/receiver2/receiver1/receiver0/sender"
                try Patience.until("it runs") { try bus.tree()[sender]?.state == "live" }
                bench.signal(number)
                #expect(try bench.end().exitCode == 130)
                #expect(try bus.tree().nodes.map(\.path) == ["/", "/witness"])
            }
        }
    }
}
