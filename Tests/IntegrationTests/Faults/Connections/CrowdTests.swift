// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Foundation
import Glibc
import Testing
import ZeroMQ

extension Faults {
    /// One user connects as often as it can.
    @FaultThread
    @Suite(.enabled(if: OtherUser.isPossible, "only root can play two users"))
    struct CrowdTests {
        /// As few as a daemon starts with.
        private static let descriptorMax = 4_096

        /// A hundred thousand where that is asked for; the effect is there with fewer, if they are
        /// more than there are descriptors, and a machine with other work takes long over many.
        private static var connectCount: Int {
            getenv("CASCADE_MEASURE") == nil ? 3 * descriptorMax : 100_000
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

        // Those who are there are served all the time. Whoever comes has to get past the crowd in
        // the queue that the kernel keeps for the listener, which takes as long as it is full.
        @Test("A crowd of connections of one user is cut to its cap, and others are served")
        func crowd() throws {
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
                let line = try bus.daemon.diagnostics.line(containing: "connectionsPerUser")
                #expect(line?.contains("user \(OtherUser.userID)") == true)
                crowd.closeInput()
                #expect(try crowd.end().exitCode == 0)
            }
        }

        @Test("With too few descriptors it does not start, and says what to do")
        func fewDescriptors() throws {
            let daemon = try SpawnedProgram.path(of: "cascaded")
            let arguments = ["--nofile=\(Self.descriptorMax - 1)", daemon]
            let ending = try SpawnedProgram("/usr/bin/prlimit", arguments, bus: "").end()
            #expect(ending.exitCode == 1)
            #expect(ending.diagnostics.text.contains("LimitNOFILE="), "\(ending.diagnostics.text)")
        }

        // Long before the deadline for silence: nothing but the need for a place ends one of them.
        @Test("Silent connections make room for a newcomer of the same user")
        func spare() throws {
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
