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
        private static let descriptorMax = 512

        /// A hundred thousand where that is asked for; the effect is there with fewer, and a machine with
        /// other work takes long over many.
        private static var connectCount: Int {
            getenv("CASCADE_MEASURE") == nil ? 3_000 : 100_000
        }

        private func crowd(_ bus: FaultBus, keeping kept: Int) throws -> SpawnedProgram {
            OtherUser.admit(to: bus)
            let words = OtherUser.words
            return try SpawnedProgram(
                words[0],
                words.dropFirst() + [
                    Script.python, Script.path("crowd.py"), bus.socketPath,
                    "\(Self.connectCount)", "\(kept)",
                ], bus: "")
        }

        @Test("A crowd of connections of one user is cut to its cap, and others attach meanwhile")
        func crowd() throws {
            let limit = ["/usr/bin/prlimit", "--nofile=\(Self.descriptorMax)"]
            try FaultBus.open(within: limit) { bus in
                let crowd = try crowd(bus, keeping: 4 * Self.descriptorMax)
                try #require(try crowd.output.line(containing: "begun") != nil)
                var times: [Double] = []
                while times.count < 20 {
                    let start = MonotonicClock.now()
                    let peer = try RawPeer.greeted(bus.endpoint)
                    _ = try peer.attach(
                        NodeDeclaration(path: NodePath("/node-\(times.count)")))
                    times.append(start.millisecondsAgo)
                }
                times.sort()
                print("attached within \(times[10]) ms (median), \(times[19]) ms (most)")
                #expect(times[10] < 1_000)
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

        private func descriptorCount(of program: SpawnedProgram) throws -> Int {
            try FileManager.default.contentsOfDirectory(
                atPath: "/proc/\(program.processID)/fd"
            ).count
        }
    }
}
