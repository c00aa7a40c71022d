// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Foundation
import Glibc
import Testing
import ZeroMQ

extension Faults {
    /// One user opens as many connections as it can. libzmq does not pass these tests.
    @FaultThread
    @Suite(
        .enabled(if: OtherUser.isPossible, "requires root to act as two users"),
        .onlyBuiltin("libzmq accepts connections without limits"))
    struct CrowdTests {
        private static let descriptorMax = 4_096
        /// The least number of descriptors with which a daemon starts.
        private static let descriptorMin = 256

        /// A hundred thousand with CASCADE_MEASURE; fewer have the same effect if they exceed the
        /// descriptors, and a busy machine needs long for many.
        private static var connectCount: Int {
            Measuring.isOn ? 100_000 : 3 * descriptorMax
        }

        private func crowd(
            _ bus: FaultBus, of count: Int = connectCount, keeping kept: Int
        ) throws -> SpawnedProgram {
            OtherUser.admit(to: bus)
            let words = OtherUser.words
            return try SpawnedProgram(
                words[0],
                words.dropFirst() + [
                    Script.python, Script.path("crowd.py"), bus.socketPath,
                    "\(count)", "\(kept)",
                ], bus: "")
        }

        // Attached peers are served all the time. A new peer has to pass the crowd in the kernel's
        // queue of the listener, which takes as long as the queue is full.
        @Test func `connections of one user are limited, and other users are served`() throws {
            let limit = ["/usr/bin/prlimit", "--nofile=\(Self.descriptorMax)"]
            try FaultBus.open(within: limit) { bus in
                let old = try RawPeer.greeted(bus.endpoint)
                let crowd = try crowd(bus, keeping: 4 * Self.descriptorMax)
                try #require(try crowd.output.line(containing: "begun") != nil)
                try show("served", 100) { _ in try old.query() }
                try show("attached", 20) { number in
                    let peer = try RawPeer.greeted(bus.endpoint)
                    _ = try peer.attach(NodeDeclaration(path: NodePath("/node-\(number)")))
                }
                let done = try crowd.output.line(containing: "done")
                print("the crowd has connected:", done ?? "not to its end")
                try #require(done != nil)
                let open = try descriptorCount(of: bus.daemon)
                #expect(open < Self.descriptorMax / 2, "\(open) descriptors are open")
                let line = try bus.daemon.diagnostics.line(containing: "was refused")
                #expect(line?.contains("user \(OtherUser.userID)") == true)
                crowd.closeInput()
                #expect(try crowd.end().exitCode == 0)
            }
        }

        @Test func `a user has at most as many connections as connectionsPerUser says`() throws {
            let limit = 16
            try FaultBus.open(["--limit", "connectionsPerUser=\(limit)"]) { bus in
                let streams = try (0...limit).map { _ in
                    let stream = try RawStream(bus.socketPath)
                    stream.write(StrangerTests.greeting("NULL") + StrangerTests.ready)
                    return stream
                }
                let last = try #require(streams.last)
                #expect(last.closedAfter(atMost: 5_000) != nil)
                let line = try bus.daemon.diagnostics.line(containing: "was refused")
                #expect(line?.contains("the user has \(limit) connections") == true)
            }
        }

        @Test func `a daemon with too few descriptors does not start and names the setting`() throws
        {
            let daemon = try SpawnedProgram.path(of: "cascaded")
            let arguments = ["--nofile=\(Self.descriptorMin - 1)", daemon]
            let ending = try SpawnedProgram("/usr/bin/prlimit", arguments, bus: "").end()
            #expect(ending.exitCode == 1)
            #expect(ending.diagnostics.text.contains("LimitNOFILE="), "\(ending.diagnostics.text)")
        }

        // Long before the deadline for silence, so that only the need for room ends a connection.
        @Test func `silent connections of a user make room for a new one`() throws {
            let limit = ["/usr/bin/prlimit", "--nofile=\(Self.descriptorMax)"]
            try FaultBus.open(["--greeting", "60s"], within: limit) { bus in
                let cap = Self.descriptorMax / 8
                let crowd = try crowd(bus, of: cap, keeping: cap)
                try #require(try crowd.output.line(containing: "done \(cap)") != nil)
                let node = try OtherUser.start(["attach", "/other", "--handle", "Order"], on: bus)
                let attached = try node.output.line(containing: "\"attached\"")
                #expect(attached != nil, "\(node.diagnostics.text)")
                #expect(try bus.trigger("Order", ["--from", "/other"]).by == "/other")
                node.signal(SIGTERM)
                #expect(try node.end().exitCode == 0)
                crowd.closeInput()
                #expect(try crowd.end().exitCode == 0)
            }
        }

        private func show(
            _ what: String, _ count: Int, _ work: (Int) throws -> Void
        ) throws {
            let times = try (0..<count).map { number in
                let start = MonotonicClock.now()
                try work(number)
                return start.millisecondsAgo
            }.sorted()
            print("\(what) within \(times[count / 2]) ms (median), \(times[count - 1]) ms (most)")
        }

        private func descriptorCount(of program: SpawnedProgram) throws -> Int {
            try FileManager.default.contentsOfDirectory(
                atPath: "/proc/\(program.processID)/fd"
            ).count
        }
    }
}
