// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing
import ZeroMQ

extension Faults {
    /// One user asks for more than it reads; another goes on as before.
    @FaultThread
    @Suite(.enabled(if: OtherUser.isPossible, "only root can play two users"))
    struct RequestFloodTests {
        private static let queryCount = 3_000

        @Test func `thousands of queries in one message take turns, and little memory`() throws {
            try FaultBus.open { bus in
                let holder = try RawPeer.greeted(bus.endpoint)
                try holder.attach(1_000, below: "/shop")
                let before = try bus.daemon.residentMegabytes
                let greedy = try GreedyPeer.start(["together", "\(Self.queryCount)"], on: bus)
                try #require(try greedy.output.line(containing: "done") != nil)
                let (slowest, most) = try roundTrips(bus)
                print("beside the queries: \(slowest) ms, \(before) MiB, at most \(most) MiB")
                // All answers together are 600 MiB, and take half a minute.
                #expect(slowest < 3_000)
                #expect(most < before + 150)
                greedy.kill()
                _ = try greedy.end()
                try expectMemory(of: bus, below: before + 75)
            }
        }

        @Test func `queries of a peer that reads no answers wait, and too many end its session`()
            throws
        {
            try FaultBus.open { bus in
                let holder = try RawPeer.greeted(bus.endpoint)
                try holder.attach(1_000, below: "/shop")
                let before = try bus.daemon.residentMegabytes
                let greedy = try GreedyPeer.start(["queries", "20000"], on: bus)
                let line = try bus.daemon.diagnostics.line(containing: "waitingMessages")
                #expect(line?.contains("notReading") == true)
                let (slowest, most) = try roundTrips(bus)
                print("behind the queries: \(slowest) ms, \(before) MiB, at most \(most) MiB")
                #expect(slowest < 3_000)
                #expect(most < before + 150)
                greedy.kill()
                _ = try greedy.end()
                try expectMemory(of: bus, below: before + 75)
            }
        }

        @Test func `a message of more frames than allowed ends the session`() throws {
            try FaultBus.open { bus in
                let limit = try RawPeer(bus.endpoint).greet().limits
                    .first { $0.name == "framesPerMessage" }?.value
                let count = Int(try #require(limit))
                let queries = (1...UInt64(count + 1)).map {
                    Query(request: $0, .tree(path: "/witness", depth: 0)).encoded()
                }
                let modest = try RawPeer.greeted(bus.endpoint)
                try modest.send(frames: Array(queries.prefix(count)))
                for request in 1...UInt64(count) {
                    #expect(try modest.next().header.id == request)
                }
                let offender = try RawPeer.greeted(bus.endpoint)
                try offender.send(frames: queries)
                let answer = try offender.first { $0.header.command == .violation }
                #expect(try answer.read(Violation.self).code == .malformed)
                #expect(answer.words.contains("limit framesPerMessage"))
            }
        }

        @Test func `a peer that repeats its wish to leave is answered a few times`() throws {
            try FaultBus.open { bus in
                let before = try bus.daemon.residentMegabytes
                let greedy = try GreedyPeer.start(["leave", "100000"], on: bus)
                try #require(try greedy.output.line(containing: "done") != nil)
                let (slowest, most) = try roundTrips(bus)
                print("beside the leaves: \(slowest) ms, \(before) MiB, at most \(most) MiB")
                #expect(slowest < 3_000)
                #expect(most < before + 100)
                greedy.kill()
                _ = try greedy.end()
            }
        }

        /// Asks for what costs little, again and again, as the user of the bus. Returns the longest
        /// time that an answer took, in milliseconds, and the most MiB of the daemon meanwhile.
        private func roundTrips(_ bus: FaultBus) throws -> (slowest: Double, most: Int) {
            let peer = try RawPeer.greeted(bus.endpoint)
            var slowest = 0.0
            var most = 0
            for _ in 1...200 {
                let start = MonotonicClock.now()
                _ = try peer.state(of: "/witness")
                slowest = max(slowest, start.millisecondsAgo)
                most = max(most, try bus.daemon.residentMegabytes)
            }
            return (slowest, most)
        }

        /// Each look takes a round trip.
        private func expectMemory(of bus: FaultBus, below megabytes: Int) throws {
            let peer = try RawPeer.greeted(bus.endpoint)
            try Patience.until("memory comes back") {
                _ = try peer.query()
                return try bus.daemon.residentMegabytes < megabytes
            }
        }
    }
}
