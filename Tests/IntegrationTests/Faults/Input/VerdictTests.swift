// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite struct VerdictTests {
        /// A handler at /kitchen, and an origin that triggers events there.
        @FaultThread
        private final class Pair {
            let handler: RawPeer
            let session = SessionID.random()
            let origin: RawPeer
            let node: UInt32
            private var lastSequence: UInt64 = 0

            init(_ bus: FaultBus, kind: ResponderKind = .handle, prefetch: UInt16 = 256) throws {
                handler = try RawPeer.greeted(bus.endpoint, session: session)
                origin = try RawPeer.greeted(bus.endpoint)
                node = try handler.attach(
                    NodeDeclaration(
                        path: "/kitchen",
                        responders: [ResponderDeclaration(kind, EventName("Order"))],
                        prefetch: prefetch))
            }

            func trigger(time: UInt32 = 10_000) throws {
                lastSequence += 1
                try origin.send(
                    Header.trigger(lastSequence, time: time),
                    fields: RaisedFields(name: EventName("Order"), origin: "/kitchen").fields)
            }

            /// Triggers an event and receives its visit.
            func visit(time: UInt32 = 10_000) throws -> Header {
                try trigger(time: time)
                return try handler.nextVisit()
            }

            func verdict(
                _ visit: Header, _ code: VerdictCode = .handled, stop: UInt16 = 0
            ) -> Verdict {
                Verdict(delivery: visit.id, node: visit.node, code: code, stop: stop)
            }

            /// Triggers an event and handles it correctly.
            func expectWellHandled() throws {
                let visit = try visit()
                try handler.send(verdict(visit))
                let ended = try origin.next(OutcomeMessage.self)
                #expect(ended.code == .handled && ended.sequence == lastSequence)
            }
        }

        @Test func `a repeated or late verdict is counted, and the event has one outcome`() throws {
            try FaultBus.open { bus in
                let pair = try Pair(bus)
                let first = try pair.visit()
                try pair.handler.send(pair.verdict(first))
                try pair.handler.send(pair.verdict(first, .failed))
                #expect(try pair.handler.counter("lateVerdicts") == 1)
                #expect(try pair.origin.next(OutcomeMessage.self).code == .handled)
                let second = try pair.visit(time: 50)
                #expect(try pair.origin.next(OutcomeMessage.self).code == .timedOut)
                try pair.handler.send(Header(.accept, node: pair.node, id: second.id))
                try pair.handler.send(pair.verdict(second))
                try pair.handler.send(pair.verdict(second))
                #expect(try pair.handler.counter("lateVerdicts") == 3)
                // Only the answer has arrived: there was no second outcome.
                try pair.origin.query()
                try pair.expectWellHandled()
            }
        }

        @Test func `a verdict on a visit of an earlier connection is counted and ignored`() throws {
            try FaultBus.open { bus in
                let pair = try Pair(bus)
                let visit = try pair.visit()
                let successor = try RawPeer.greeted(bus.endpoint, session: pair.session)
                #expect(try pair.handler.next(Violation.self).code == .superseded)
                // The visit was not accepted before, so the event was skipped.
                #expect(try pair.origin.next(OutcomeMessage.self).code == .unhandled)
                try successor.send(pair.verdict(visit))
                #expect(try successor.counter("lateVerdicts") == 1)
                try pair.origin.query()
            }
        }

        @Test func `a verdict on another session's visit is a violation, and the event continues`()
            throws
        {
            try FaultBus.open { bus in
                let pair = try Pair(bus)
                let visit = try pair.visit()
                let forger = try RawPeer.greeted(bus.endpoint)
                try forger.send(pair.verdict(visit, .failed))
                #expect(try forger.next(Violation.self).code == .notYours)
                let claimant = try RawPeer.greeted(bus.endpoint)
                try claimant.send(Header(.accept, node: visit.node, id: visit.id))
                #expect(try claimant.next(Violation.self).code == .notYours)
                try pair.handler.send(pair.verdict(visit))
                #expect(try pair.origin.next(OutcomeMessage.self).code == .handled)
            }
        }

        @Test func `a verdict on a delivery of another session is counted and ignored`() throws {
            try FaultBus.open { bus in
                let subscriber = try RawPeer.greeted(bus.endpoint)
                let node = try subscriber.attach(
                    NodeDeclaration(path: "/screen", subscriptions: [EventName("Menu")]))
                let publisher = try RawPeer.greeted(bus.endpoint)
                try publisher.send(
                    Header(
                        .publish, flags: .addressedInFields, sequence: 1,
                        code: PublishingDestination.all.rawValue),
                    fields: RaisedFields(name: EventName("Menu")).fields)
                let delivery = try subscriber.next().header
                try #require(delivery.command == .delivery)
                let forger = try RawPeer.greeted(bus.endpoint)
                try forger.send(Verdict(delivery: delivery.id, node: node, code: .failed))
                #expect(try forger.counter("lateVerdicts") == 1)
                try subscriber.send(Verdict(delivery: delivery.id, node: node, code: .handled))
                let ended = try publisher.next(OutcomeMessage.self)
                #expect(ended.code == .delivered && ended.recipients == ["/screen"])
                try subscriber.send(Verdict(delivery: delivery.id, node: node, code: .handled))
                #expect(try subscriber.counter("lateVerdicts") == 2)
            }
        }

        // The second visit waits in the daemon for the first verdict; its number can be guessed.
        @Test func `a verdict on a visit that was not sent yet is a violation`() throws {
            try FaultBus.open { bus in
                let pair = try Pair(bus, prefetch: 1)
                let visit = try pair.visit()
                try pair.trigger()
                try pair.origin.query()
                var guess = visit
                guess.id += 1
                try pair.handler.send(pair.verdict(guess))
                #expect(try pair.handler.next(Violation.self).code == .notYours)
                #expect(try pair.origin.next(OutcomeMessage.self).code == .unhandled)
                #expect(try pair.origin.next(OutcomeMessage.self).code == .unhandled)
            }
        }

        @Test func `events are handled after credit that no session owed`() throws {
            try FaultBus.open { bus in
                let pair = try Pair(bus)
                let visit = try pair.visit()
                try pair.handler.send(Header(.credit, node: pair.node, code: .max))
                try pair.handler.send(pair.verdict(visit))
                #expect(try pair.origin.next(OutcomeMessage.self).code == .handled)
                try pair.expectWellHandled()
            }
        }

        @Test func `a verdict that the responder cannot give fails the event at its node`() throws {
            try FaultBus.open { bus in
                let pair = try Pair(bus)
                let verdicts: [(VerdictCode, UInt16)] = [
                    (.passed, 0), (.replaced, 0), (.handled, 1), (.handled, .max), (.failed, 9),
                ]
                for (code, stop) in verdicts {
                    let visit = try pair.visit()
                    try pair.handler.send(pair.verdict(visit, code, stop: stop))
                    let ended = try pair.origin.next(OutcomeMessage.self)
                    #expect(ended.code == .failed)
                    #expect(ended.failure?.name.description == "badVerdict")
                    #expect(ended.failure?.node == "/kitchen")
                }
                try pair.expectWellHandled()
            }
        }

        @Test func `a replacement without a name fails the event`() throws {
            try FaultBus.open { bus in
                let pair = try Pair(bus, kind: .transform)
                let visit = try pair.visit()
                try pair.handler.send(pair.verdict(visit, .replaced))
                let ended = try pair.origin.next(OutcomeMessage.self)
                #expect(ended.code == .failed)
                #expect(ended.failure?.name.description == "badVerdict")
            }
        }
    }
}
