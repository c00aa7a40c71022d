// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing
import ZeroMQ

extension Faults {
    /// One user sends more requests than it reads answers, and another user works meanwhile.
    @FaultThread
    @Suite(.enabled(if: OtherUser.isPossible, "requires root to act as two users"))
    struct RequestFloodTests {
        private static let queryCount = 3_000
        private static let backlogCount: UInt64 = 200
        private static let newcomerCount = 4

        @Test
        func `thousands of queries in one message take bounded memory and delay no other user`()
            throws
        {
            try FaultBus.open { bus in
                let holder = try RawPeer.greeted(bus.endpoint)
                try holder.attach(1_000, below: "/shop")
                let before = try bus.daemon.residentMegabytes
                let greedy = try GreedyPeer.start(["together", "\(Self.queryCount)"], on: bus)
                try #require(try greedy.output.line(containing: "done") != nil)
                let (slowest, most) = try roundTrips(bus)
                print("beside the queries: \(slowest) ms, \(before) MiB, at most \(most) MiB")
                // All answers together have 600 MiB and take half a minute.
                #expect(slowest < 3_000)
                #expect(most < before + 150)
                greedy.kill()
                _ = try greedy.end()
                try expectMemory(of: bus, below: before + 75)
            }
        }

        @Test
        func `queries of a peer that reads no answers take bounded memory and end its session`()
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

        @Test func `a message with too many frames ends the session`() throws {
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
                let line = try bus.daemon.diagnostics.line(containing: "framesPerMessage")
                #expect(line?.contains("process \(getpid())") == true)
            }
        }

        @Test func `a peer that repeats its leave does not delay other peers`() throws {
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

        @Test func `the backlog of an ended peer is not taken for messages of newcomers`() throws {
            try FaultBus.open { bus in
                let handler = try RawPeer.greeted(bus.endpoint)
                try handler.attach(500, below: "/shop/shelf")
                _ = try handler.attach(
                    NodeDeclaration(
                        path: "/shop",
                        responders: [ResponderDeclaration(.handle, EventName("Order"))]))
                var ended: RawPeer? = try RawPeer.greeted(bus.endpoint)
                let node = try #require(try ended?.attach(NodeDeclaration(path: "/shop/ended")))
                // The queries take longer than one turn, so that the event behind them waits.
                var frames = (0..<Self.backlogCount).map {
                    Query(request: 1 << 20 | $0, .tree(path: "/shop", depth: 4)).encoded()
                }
                let fields = RaisedFields(name: EventName("Order"), origin: "/shop/ended").fields
                var trigger = Header.trigger(1, time: 60_000)
                trigger.fieldsLength = UInt32(fields.count)
                frames.append(trigger.encoded() + fields)
                try ended?.send(frames: frames)
                _ = try ended?.first { $0.header.command == .answer }
                ended = nil
                var newcomers: [(peer: RawPeer, node: UInt32)] = []
                for number in 1...Self.newcomerCount {
                    let peer = try RawPeer.greeted(bus.endpoint)
                    let path = try NodePath("/shop/newcomer-\(number)")
                    newcomers.append((peer, try peer.attach(NodeDeclaration(path: path))))
                }
                #expect(!newcomers.contains { $0.node == node })
                let state = try newcomers[0].peer.state(of: "/shop/ended")
                #expect(state == .live)
                _ = try handler.nextVisit()
                try Patience.until("the ended peer's node has lost its process") {
                    try handler.state(of: "/shop/ended") != .live
                }
                // Each newcomer receives the answer to its own query, and nothing before it.
                for newcomer in newcomers {
                    try newcomer.peer.query(.tree(path: "/shop/ended", depth: 0))
                }
            }
        }

        /// Sends cheap queries as the user of the bus. Returns the longest time of an answer in
        /// milliseconds, and the greatest memory of the daemon in MiB.
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

        /// Waits until the daemon's memory has shrunk; each check takes a round trip.
        private func expectMemory(of bus: FaultBus, below megabytes: Int) throws {
            let peer = try RawPeer.greeted(bus.endpoint)
            try Patience.until("memory comes back") {
                _ = try peer.query()
                return try bus.daemon.residentMegabytes < megabytes
            }
        }
    }
}
