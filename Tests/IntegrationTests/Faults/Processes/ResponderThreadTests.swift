// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestSupport
import Foundation
import Logging
import Testing

extension Faults {
    /// Swift workers whose responders run on the session's thread, or on the pool.
    @FaultThread
    @Suite struct ResponderThreadTests {
        struct Order: Event {
            let table: Int
        }

        @Test func `responders run where their node says, and each node's in order`() throws {
            try FaultBus.open { bus in
                let lines = try Self.serve(bus, "/shop") { lines in
                    Node("shop") {
                        Node("floor").observe(Order.self) { order in
                            lines.append("floor \(order.table) \(Self.threadName)")
                        }
                        .runsOnSessionThread()
                    }
                    .handle(Order.self) { order in
                        lines.append("shop \(order.table) \(Self.threadName)")
                    }
                } during: {
                    for table in 1...20 {
                        try bus.run(
                            ["trigger", "Order", #"{"table":\#(table)}"#, "--from", "/shop/floor"]
                        ).expectSuccess()
                    }
                }
                let floor = lines.filter { $0.hasPrefix("floor") }
                #expect(floor == (1...20).map { "floor \($0) link" })
                let shop = lines.filter { $0.hasPrefix("shop") }
                #expect(shop.map { $0.split(separator: " ")[1] } == (1...20).map { "\($0)" })
                #expect(!shop.contains { $0.hasSuffix(" link") })
            }
        }

        @Test func `a responder that holds the session's thread is named in one warning`() throws {
            try FaultBus.open { bus in
                let lines = try Self.serve(bus, "/shop") { _ in
                    Node("shop").handle(Order.self) { _ in Self.compute(milliseconds: 150) }
                        .runsOnSessionThread()
                } during: {
                    for table in 1...2 {
                        try bus.run(
                            ["trigger", "Order", #"{"table":\#(table)}"#, "--from", "/shop"]
                        ).expectSuccess()
                    }
                }
                let warnings = lines.filter { $0.hasPrefix("warning: ") }
                #expect(warnings.count == 1)
                #expect(warnings[0].contains("/shop held the session's thread for"))
                #expect(warnings[0].contains("with Order"))
            }
        }

        @Test func `a responder that blocks the pool leaves the session's thread alone`() throws {
            try FaultBus.open { bus in
                let lines = try Self.serve(bus, "/shop") { _ in
                    Node("shop").handle(Order.self) { _ in Self.compute(milliseconds: 150) }
                } during: {
                    try bus.run(["trigger", "Order", #"{"table":1}"#, "--from", "/shop"])
                        .expectSuccess()
                }
                #expect(!lines.contains { $0.hasPrefix("warning: ") })
            }
        }

        /// Runs a worker in this process while `body` runs. Returns what it has logged.
        private static func serve(
            _ bus: FaultBus, _ path: String, _ node: (LogLines) -> Node,
            during body: () throws -> Void
        ) throws -> [String] {
            let lines = LogLines()
            let endpoint = bus.endpoint
            let placed = node(lines)
            let (stopped, stop) = AsyncStream.makeStream(of: Void.self)
            let worker = Task.detached {
                try await WorkerProcess(
                    endpoint: endpoint, logger: Logger(label: "worker") { _ in lines }
                ) {
                    placed
                }
                .run {
                    for await _ in stopped {}
                }
            }
            defer { worker.cancel() }
            try bus.wait(path, "live")
            try body()
            stop.finish()
            try bus.run(["wait", path, "--state", "gone", "--timeout", "20s"]).expectSuccess()
            return lines.all
        }

        private nonisolated static var threadName: String {
            let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            return name?.trimmingCharacters(in: .newlines) ?? ""
        }

        private nonisolated static func compute(milliseconds: Int) {
            let end = ContinuousClock.now + .milliseconds(milliseconds)
            while ContinuousClock.now < end {}
        }
    }
}
