// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Foundation
import Testing

extension Faults {
    /// Sessions whose connections end while the daemon and the process live.
    @FaultThread
    @Suite struct ResumeTests {
        private let order: EventName = "Order"

        private func handler(_ bus: FaultBus) throws -> (peer: RawPeer, node: UInt32) {
            let peer = try RawPeer.greeted(bus.endpoint)
            let node = try peer.attach(
                NodeDeclaration(
                    path: "/kitchen", responders: [ResponderDeclaration(.handle, order)]))
            return (peer, node)
        }

        private func trigger(
            _ sequence: UInt64, _ flags: HeaderFlags = [], by peer: RawPeer
        ) throws {
            var header = Header.trigger(sequence)
            header.flags.formUnion(flags)
            try peer.send(header, fields: RaisedFields(name: order, origin: "/kitchen").fields)
        }

        private func verdict(_ visit: Header) -> Verdict {
            Verdict(delivery: visit.id, node: visit.node, code: .handled)
        }

        @Test func `an event of a process whose connection is cut repeatedly is handled once`()
            throws
        {
            try FaultBus.open { bus in
                let (kitchen, _) = try handler(bus)
                let line = try CuttableLine(in: bus.directory, to: bus.socketPath)
                defer { line.stop() }
                let origin = try SpawnedProgram(
                    "cascadectl", ["trigger", "Order", "--from", "/kitchen", "--json"],
                    bus: line.endpoint)
                let visit = try kitchen.nextVisit()
                for cut in 1...3 {
                    line.cut()
                    try Patience.until("the process connects again") {
                        try kitchen.query()
                        return line.connectionCount > cut
                    }
                }
                try kitchen.send(verdict(visit))
                let outcome = try ShownOutcome(origin.end())
                #expect(outcome.outcome == "handled" && outcome.by == "/kitchen")
                #expect(try kitchen.counter("triggered") == 1)
            }
        }

        @Test func `a handler does not run again for an event it answered before a restart`() throws
        {
            try FaultBus.open { bus in
                let kitchen = try bus.attach("/kitchen", ["--handle", "Order"])
                let session = SessionID.random()
                let first = try RawPeer.greeted(bus.endpoint, session: session)
                try trigger(1, by: first)
                #expect(try first.next(OutcomeMessage.self).code == .handled)
                try bus.killDaemon()
                try bus.startDaemon()
                try bus.wait("/kitchen", "live")
                // As if the outcome had been lost with the daemon.
                let second = try RawPeer.greeted(bus.endpoint, session: session)
                try trigger(1, .sentAgain, by: second)
                #expect(try second.next(OutcomeMessage.self).code == .handled)
                #expect(try second.counter("triggered") == 1)
                try trigger(2, by: second)
                #expect(try second.next(OutcomeMessage.self).code == .handled)
                _ = try kitchen.output.line(containing: "\(session)-2")
                #expect(kitchen.output.text.components(separatedBy: "\(session)-1\"").count == 2)
            }
        }

        @Test func `a redelivered event at a new process is marked as redelivered`() throws {
            try FaultBus.open { bus in
                let before = try bus.attach("/kitchen", ["--handle", "Order", "--stdio"])
                let session = SessionID.random()
                let first = try RawPeer.greeted(bus.endpoint, session: session)
                try trigger(1, by: first)
                let line = try before.output.line(containing: "\(session)-1")
                #expect(line?.contains("sentAgain") == false)
                before.kill()
                try bus.killDaemon()
                try bus.startDaemon()
                let next = try bus.attach("/kitchen", ["--handle", "Order", "--stdio"])
                let second = try RawPeer.greeted(bus.endpoint, session: session)
                try trigger(1, .sentAgain, by: second)
                let again = try next.output.line(containing: "\(session)-1")
                #expect(again?.contains(#""sentAgain":true"#) == true)
            }
        }

        @Test func `a redelivered event gets its known outcome, or continues if it is under way`()
            throws
        {
            try FaultBus.open { bus in
                let (kitchen, _) = try handler(bus)
                let session = SessionID.random()
                let first = try RawPeer.greeted(bus.endpoint, session: session)
                try trigger(1, by: first)
                try trigger(2, by: first)
                try kitchen.send(verdict(kitchen.nextVisit()))
                let visit = try kitchen.nextVisit()
                #expect(try first.next(OutcomeMessage.self).sequence == 1)
                let second = try RawPeer.greeted(bus.endpoint, session: session)
                #expect(try first.next(Violation.self).code == .superseded)
                try trigger(1, .sentAgain, by: second)
                try trigger(2, .sentAgain, by: second)
                let again = try second.next(OutcomeMessage.self)
                #expect(again.sequence == 1 && again.code == .handled)
                try second.query()
                try kitchen.send(verdict(visit))
                #expect(try second.next(OutcomeMessage.self).sequence == 2)
                // The same on one connection.
                try trigger(2, .sentAgain, by: second)
                #expect(try second.next(OutcomeMessage.self).sequence == 2)
                #expect(try kitchen.counter("triggered") == 2)
            }
        }

        @Test func `a gap in sequence numbers is a lost message, and a wrong number malformed`()
            throws
        {
            try FaultBus.open { bus in
                let (kitchen, _) = try handler(bus)
                let session = SessionID.random()
                let first = try RawPeer.greeted(bus.endpoint, session: session)
                try trigger(1, by: first)
                try trigger(3, by: first)
                #expect(try first.next(Violation.self).code == .messageLost)
                let second = try RawPeer.greeted(bus.endpoint, session: session)
                for sequence in 1...3 as ClosedRange<UInt64> {
                    try trigger(sequence, .sentAgain, by: second)
                }
                // A verdict that came before the events would make the daemon answer each twice.
                try second.query()
                for sequence in 1...3 as ClosedRange<UInt64> {
                    let visit = try kitchen.nextVisit()
                    #expect(visit.sequence == sequence)
                    try kitchen.send(verdict(visit))
                    #expect(try second.next(OutcomeMessage.self).sequence == sequence)
                }
                for pair: (UInt64, UInt64) in [(1, 1 << 40), (5, 5), (.max, 1), (.max, 0)] {
                    let offender = try RawPeer.greeted(bus.endpoint)
                    try trigger(pair.0, by: offender)
                    try trigger(pair.1, by: offender)
                    try kitchen.send(verdict(kitchen.nextVisit()))
                    #expect(try offender.next(Violation.self).code == .malformed)
                }
            }
        }
    }
}
