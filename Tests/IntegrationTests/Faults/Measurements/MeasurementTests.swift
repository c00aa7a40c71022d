// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing
import ZeroMQ

extension Faults {
    /// Durations, printed rather than asserted, since they depend on the machine's load. Run with
    /// `CASCADE_MEASURE=1`, in a release build and on an idle machine.
    @FaultThread
    @Suite(.enabled(if: Measuring.isOn, "requires CASCADE_MEASURE"))
    struct MeasurementTests {
        /// From the signal to the monitor event at an observer.
        @Test func `a killed process is reported as lost, within the printed time`() throws {
            try FaultBus.open(["--beat", "60s"]) { bus in
                let observer = try RawPeer.greeted(bus.endpoint)
                let filter = MonitorFilter(path: "/victim", kinds: [.topology])
                try observer.send(Query(request: 1, .monitor(filter), isRepeating: true))
                var times: [Double] = []
                for _ in 0..<300 {
                    let victim = try bus.attach("/victim", ["--handle", "Order"])
                    try observer.wait(for: "attached")
                    let start = MonotonicClock.now()
                    victim.kill()
                    try observer.wait(for: "lost")
                    times.append(start.millisecondsAgo)
                    _ = try victim.end()
                }
                show("a killed process is known after", times)
            }
        }

        @Test(arguments: [1, 10])
        func `all nodes attach again after a restart, within the printed time`(
            _ nodesPerSession: Int
        ) throws {
            try FaultBus.open { bus in
                let sessions = (0..<1_000).map { _ in SessionID.random() }
                var before = try reattach(sessions, nodesPerSession, bus)
                try bus.killDaemon()
                // The old peers would connect again without greeting.
                before = []
                try bus.startDaemon()
                let start = MonotonicClock.now()
                let after = try reattach(sessions, nodesPerSession, bus)
                print(
                    "\(1_000 * nodesPerSession) nodes of 1,000 sessions are back after "
                        + "\(start.millisecondsAgo) ms")
                let order = try bus.tree().nodes.map(\.path)
                #expect(order.count > 1_000 * nodesPerSession)
                #expect(before.isEmpty && after.count == sessions.count)
            }
        }

        /// Attaches all at once: every session greets before any reads its welcome, and so on.
        private func reattach(
            _ sessions: [SessionID], _ nodesPerSession: Int, _ bus: FaultBus
        ) throws -> [RawPeer] {
            let peers = try sessions.map { session in
                let peer = try RawPeer(bus.endpoint)
                try peer.send(
                    Hello(session: session, program: "raw", processID: UInt32(getpid())))
                return peer
            }
            for (number, peer) in peers.enumerated() {
                _ = try peer.next(Welcome.self)
                let nodes = try (0..<nodesPerSession).map { node in
                    NodeDeclaration(
                        path: try NodePath("/session-\(number)/node-\(node)"),
                        responders: [ResponderDeclaration(.handle, EventName("Order"))])
                }
                try peer.send(Attach(request: 1, nodes: nodes))
            }
            for peer in peers {
                _ = try peer.next(Attached.self)
            }
            return peers
        }

        @Test func `events are handled beside sixteen flooding processes, within the printed time`()
            throws
        {
            try FaultBus.open { bus in
                let kitchen = try bus.attach("/kitchen", ["--handle", "Order"])
                show("at rest an event takes", try times(bus, 1_000))
                try measureBesideStrangers(bus)
                let program = try SpawnedProgram.path(of: "cascadectl")
                let floods = try (0..<16).map { number in
                    let line = #"{"trigger":"Flood","payload":\#(number)}"#
                    let command =
                        "exec \(program) attach /flood-\(number) --stdio < <(exec yes '\(line)')"
                    return try SpawnedProgram(
                        "/bin/bash", ["-c", command + " > /dev/null"], bus: bus.endpoint)
                }
                try Patience.until("the flood has begun") {
                    try (bus.counters()["triggered"] ?? 0) > 2_000
                }
                show("beside sixteen floods it takes", try times(bus, 1_000))
                for flood in floods {
                    flood.kill()
                    _ = try flood.end()
                }
                kitchen.signal(SIGTERM)
                #expect(try kitchen.end().exitCode == 0)
            }
        }

        /// Measures the scheduler's share, which exists without any message of the other processes.
        private func measureBesideStrangers(_ bus: FaultBus) throws {
            let strangers = try (0..<16).map { _ in
                try SpawnedProgram("/bin/bash", ["-c", "while :; do :; done"], bus: "")
            }
            show("beside sixteen that only compute it takes", try times(bus, 1_000))
            for stranger in strangers {
                stranger.kill()
                _ = try stranger.end()
            }
        }

        /// The times of consecutive events that another process handles.
        private func times(_ bus: FaultBus, _ count: Int) throws -> [Double] {
            let origin = try RawPeer.greeted(bus.endpoint)
            let fields = RaisedFields(name: EventName("Order"), origin: "/kitchen").fields
            return try (1...UInt64(count)).map { sequence in
                let start = MonotonicClock.now()
                try origin.send(Header.trigger(sequence), fields: fields)
                #expect(try origin.next(OutcomeMessage.self).code == .handled)
                return start.millisecondsAgo
            }
        }

        private func show(_ what: String, _ times: [Double]) {
            let sorted = times.sorted()
            let p99 = sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
            print(
                "\(what): \(sorted[sorted.count / 2]) ms (median), \(p99) ms (99 %), "
                    + "\(sorted[sorted.count - 1]) ms (most)")
        }
    }
}

extension RawPeer {
    /// Waits until a monitor event contains the word.
    @FaultThread
    fileprivate func wait(for what: String) throws {
        while try !next(DocumentAnswer.self).document.contains("\"\(what)\"") {}
    }
}
