// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// Connections that the daemon cannot or must not accept.
    @FaultThread
    @Suite(.onlyBuiltin("libzmq accepts all connections")) struct AdmissionFaultTests {
        @Test func `without a free descriptor a connection is closed, and others are served`()
            throws
        {
            try FaultBus.open { bus in
                let old = try RawPeer.greeted(bus.endpoint)
                try old.awaitAnswer()
                let limit = try descriptorLimit(of: bus.daemon)
                try setDescriptorLimit(of: bus.daemon, to: try nextDescriptor(of: bus.daemon))
                for _ in 1...2 {
                    let stream = try RawStream(bus.socketPath)
                    #expect(stream.closedAfter(atMost: Patience.milliseconds) != nil)
                    let line = try bus.daemon.diagnostics.line(containing: "no descriptor left")
                    #expect(line?.contains("LimitNOFILE=") == true)
                }
                try old.awaitAnswer()
                try setDescriptorLimit(of: bus.daemon, to: limit)
                let new = try RawPeer.greeted(bus.endpoint)
                try new.query()
            }
        }

        @Test func `a worker that is refused at first attaches when there is room`() throws {
            // The witness, and the two streams.
            try FaultBus.open(["--limit", "connectionsPerUser=3"]) { bus in
                var streams = [
                    try RawStream.opened(bus.socketPath), try RawStream.opened(bus.socketPath),
                ]
                for stream in streams {
                    _ = try stream.read(64 + 1)
                }
                let worker = try bus.start(["attach", "/late", "--handle", "Order"])
                let line = try bus.daemon.diagnostics.line(containing: "was refused")
                #expect(line?.contains("the user has 3 connections") == true)
                #expect(line?.contains("process \(worker.processID)") == true)
                streams.removeLast()
                #expect(try worker.output.line(containing: "\"attached\"") != nil)
                streams.removeLast()
                #expect(try bus.trigger("Order", ["--from", "/late"]).by == "/late")
                worker.signal(SIGTERM)
                #expect(try worker.end().exitCode == 0)
            }
        }

        /// The number of the next descriptor that a process opens.
        private func nextDescriptor(of program: SpawnedProgram) throws -> Int {
            let names = try FileManager.default.contentsOfDirectory(
                atPath: "/proc/\(program.processID)/fd")
            let numbers = Set(names.compactMap { Int($0) })
            return (0...).first { !numbers.contains($0) } ?? 0
        }

        private func descriptorLimit(of program: SpawnedProgram) throws -> Int {
            let limits = try String(
                contentsOfFile: "/proc/\(program.processID)/limits", encoding: .utf8)
            let line = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
            return try #require(line?.split(separator: " ").dropFirst(3).first.flatMap { Int($0) })
        }

        /// Sets the soft limit, which the process cannot exceed.
        private func setDescriptorLimit(of program: SpawnedProgram, to count: Int) throws {
            let ending = try SpawnedProgram(
                "/usr/bin/prlimit", ["--pid", "\(program.processID)", "--nofile=\(count):"], bus: ""
            ).end()
            try #require(ending.exitCode == 0, "\(ending.diagnostics.text)")
        }
    }
}
