// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// Metrics from the bus and from a socket of their own.
    @FaultThread
    @Suite struct MetricsSocketTests {
        @Test func `the socket serves the metrics over HTTP and as bare text`() throws {
            try FaultBus.open(try Self.options) { bus in
                let path = try Self.path(of: bus)
                let kitchen = try bus.attach("/kitchen", ["--handle", "OrderReady"])
                #expect(try bus.trigger("OrderReady", ["--from", "/kitchen"]).outcome == "handled")
                #expect(try bus.trigger("Unwanted").outcome == "unhandled")

                let reply = try Self.get(path)
                #expect(reply.hasPrefix("HTTP/1.1 200 OK\r\n"))
                let lines = reply.split(separator: "\n")
                for line in [
                    "cascade_events_total{outcome=\"handled\"} 1",
                    "cascade_events_total{outcome=\"unhandled\"} 1",
                    "cascade_event_seconds_count 2", "cascade_nodes{state=\"live\"} 2",
                    "cascade_dropped_total{reason=\"queueFull\"} 0", "cascade_queue_depth 0",
                    "cascade_node_visits_total{node=\"/kitchen\"} 1",
                ] {
                    let isThere = lines.contains(Substring(line))
                    #expect(isThere, "\(line) in \(reply)")
                }
                #expect(reply.contains("process_resident_memory_bytes "))

                let bare = try RawStream(path)
                #expect(try String(decoding: bare.read(7), as: UTF8.self) == "# HELP ")
                let shown = try bus.run(["metrics"])
                #expect(shown.exitCode == 0)
                #expect(shown.output.text.contains("cascade_event_seconds_count 2\n"))
                #expect(shown.output.text.contains("process_open_fds "))
                kitchen.signal(SIGTERM)
                #expect(try kitchen.end().exitCode == 0)
            }
        }

        @Test func `scrapers that never finish are disconnected while the bus works`() throws {
            try FaultBus.open(try Self.options) { bus in
                let path = try Self.path(of: bus)
                let silent = try (0..<8).map { _ in
                    let stream = try RawStream(path)
                    stream.write(Array("GET /met".utf8))
                    return stream
                }
                // The bus continues to work.
                #expect(try bus.trigger("Unwanted").outcome == "unhandled")
                let endless = try RawStream(path)
                endless.write(Array("GET /".utf8) + [UInt8](repeating: 120, count: 9_000))
                // A connection is free again once the time of the first ones is over.
                #expect(try Self.get(path).hasPrefix("HTTP/1.1 200 OK\r\n"))
                for stream in silent {
                    #expect(stream.closedAfter(atMost: 20_000) != nil)
                }
                #expect(endless.closedAfter(atMost: 20_000) != nil)
            }
        }

        @Test func `a bus with more nodes than the limit has no metrics of single nodes`() throws {
            try FaultBus.open(try Self.options + ["--metrics-nodes", "0"]) { bus in
                let reply = try Self.get(Self.path(of: bus))
                #expect(reply.contains("cascade_nodes{state=\"live\"} 1\n"))
                #expect(!reply.contains("cascade_node_visits_total"))
            }
        }

        @Test func `a socket that another daemon serves is refused`() throws {
            try FaultBus.open(try Self.options) { bus in
                let path = try Self.path(of: bus)
                let program = try DaemonProgram()
                defer { program.remove() }
                let ending = try program.run([
                    "--listen", "ipc://\(program.directory)/bus.sock", "--metrics-socket", path,
                ])
                #expect(ending.exitCode == 1)
                #expect(ending.diagnostics.text.contains("cannot serve metrics at"))
                #expect(try Self.get(path).hasPrefix("HTTP/1.1 200 OK"))
            }
        }

        private static var options: [String] {
            get throws {
                ["--metrics-socket", "/tmp/cascade-metrics-\(UUID().uuidString.prefix(8)).sock"]
            }
        }

        /// The path that was passed to the daemon.
        private static func path(of bus: FaultBus) throws -> String {
            let bytes = try Data(
                contentsOf: URL(filePath: "/proc/\(bus.daemon.processID)/cmdline"))
            let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            let index = try #require(words.firstIndex(of: "--metrics-socket"))
            return words[index + 1]
        }

        private static func get(_ path: String) throws -> String {
            let stream = try RawStream(path)
            stream.write(Array("GET /metrics HTTP/1.1\r\nHost: cascade\r\n\r\n".utf8))
            return String(decoding: try stream.readToEnd(), as: UTF8.self)
        }
    }
}
