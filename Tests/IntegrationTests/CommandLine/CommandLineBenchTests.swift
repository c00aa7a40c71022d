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
                let document = try ending.document()
                #expect(document.members.count == 3)
                let count = ProcessInfo.processInfo.activeProcessorCount
                let regime = count == 1 ? "one processor" : "free, \(count) processors"
                #expect(document["scheduler"].string == regime)
                #expect(try bus.tree().nodes.map(\.path) == ["/", "/witness"])
                #expect(try bus.counters()["nodesLost"] == 0)
            }
        }

        @Test func `a bench that may use one processor says so in its table and its JSON line`()
            throws
        {
            try FaultBus.open { bus in
                let program = try SpawnedProgram.path(of: "cascadectl")
                let words = ["bench", "rtt", "--bus", bus.endpoint, "--count", "40"]
                // The first processor that this process may use, which need not be 0.
                let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                let list = try #require(
                    status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") })
                let first = list.drop { !$0.isNumber }.prefix { $0.isNumber }
                let ending = try SpawnedProgram(
                    "/usr/bin/taskset", ["-c", "\(first)", program] + words, bus: bus.endpoint
                ).end()
                ending.expectSuccess()
                let lines = ending.output.text.split(separator: "\n")
                #expect(lines.count == 2)
                #expect(lines.first == "rtt: 40 times 128 bytes, scheduler: one processor")
                #expect(lines.last?.hasSuffix(", \"scheduler\": \"one processor\"}") == true)
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
