// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing

extension Faults {
    /// A session's ID is public, so naming it must give another user no access.
    @FaultThread
    @Suite(.enabled(if: OtherUser.isPossible, "requires root to act as two users"))
    struct ForeignSessionTests {
        private static func attach(
            _ path: String, _ options: [String], to bus: FaultBus
        ) throws -> SpawnedProgram {
            let program = try OtherUser.start(["attach", path] + options, on: bus)
            try #require(try program.output.line(containing: "\"attached\"") != nil)
            return program
        }

        private static func session(of path: String, on bus: FaultBus) throws -> SessionID {
            let text = try #require(try bus.tree()[path]?.session)
            return try #require(SessionID(text))
        }

        /// Greets as the test's own user, without the secret.
        private static func expectRefusal(_ session: SessionID, by bus: FaultBus) throws {
            let thief = try RawPeer(bus.endpoint)
            try thief.send(Hello(session: session, program: "thief", processID: 1))
            #expect(try thief.next(Violation.self).code == .notYours)
        }

        @Test func `a peer that names another user's lost session cannot erase its durable events`()
            throws
        {
            try DurableEventTests.open { bus, _ in
                OtherUser.admit(to: bus)
                let oven = try Self.attach("/kitchen/oven", ["--stdio"], to: bus)
                let session = try Self.session(of: "/kitchen/oven", on: bus)
                oven.write(line: #"{"trigger":"Coal","durable":true,"payload":{"kilos":20}}"#)
                try DurableEventTests.waitFor("durableUnderWay", 1, bus)
                oven.kill()
                _ = try oven.end()
                try bus.wait("/kitchen/oven", "vacant")
                try Self.expectRefusal(session, by: bus)
                try bus.killDaemon()
                try bus.startDaemon()
                OtherUser.admit(to: bus)
                try Self.expectRefusal(session, by: bus)
                let kitchen = try Self.attach("/kitchen", ["--handle", "Coal"], to: bus)
                let line = try #require(try kitchen.output.line(containing: "Coal"))
                #expect(line.contains("\(session)-") && line.contains(#""kilos":20"#))
                try DurableEventTests.waitFor("durableUnderWay", 0, bus)
            }
        }

        @Test func `a worker regains its session that another user claimed after a restart`() throws
        {
            try FaultBus.open { bus in
                OtherUser.admit(to: bus)
                let kitchen = try Self.attach("/kitchen", ["--handle", "Order"], to: bus)
                let session = try Self.session(of: "/kitchen", on: bus)
                try Self.expectRefusal(session, by: bus)
                kitchen.signal(SIGSTOP)
                try bus.killDaemon()
                try bus.startDaemon()
                OtherUser.admit(to: bus)
                // The restarted daemon does not know the session yet and accepts the first claim.
                let thief = try RawPeer.greeted(bus.endpoint, session: session)
                kitchen.signal(SIGCONT)
                #expect(try thief.next(Violation.self).code == .superseded)
                try bus.wait("/kitchen", "live")
                #expect(try Self.session(of: "/kitchen", on: bus) == session)
                let outcome = try bus.trigger("Order", ["--from", "/kitchen", "--deadline", "10s"])
                #expect(outcome.outcome == "handled" && outcome.by == "/kitchen")
                #expect(try kitchen.output.line(containing: outcome.id) != nil)
                try Self.expectRefusal(session, by: bus)
                kitchen.signal(SIGTERM)
                #expect(try kitchen.end().exitCode == 0)
            }
        }
    }
}
