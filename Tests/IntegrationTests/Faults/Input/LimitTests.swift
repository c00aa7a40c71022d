// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite struct LimitTests {
        @Test func `a session that exceeds its credit ends, and its accepted events are handled`()
            throws
        {
            try FaultBus.open { bus in
                let handler = try RawPeer.greeted(bus.endpoint)
                _ = try handler.attach(
                    NodeDeclaration(
                        path: "/kitchen",
                        responders: [ResponderDeclaration(.handle, EventName("Order"))]))
                let offender = try RawPeer(bus.endpoint)
                let granted = try offender.greet().credit
                let fields = RaisedFields(name: EventName("Order"), origin: "/kitchen").fields
                for sequence in 1...UInt64(granted) {
                    try offender.send(Header.trigger(sequence), fields: fields)
                }
                try offender.query()
                try offender.send(Header.trigger(UInt64(granted) + 1), fields: fields)
                let violation = try offender.next(Violation.self)
                #expect(violation.code == .creditExceeded)
                #expect(violation.sentence.contains("\(granted)"))
                // The accepted events go on: all of them reach the handler.
                for _ in 0..<granted {
                    let visit = try handler.nextVisit()
                    try handler.send(
                        Verdict(delivery: visit.id, node: visit.node, code: .handled))
                }
                #expect(try handler.counter("handled") == granted)
                _ = try RawPeer.greeted(bus.endpoint)
            }
        }

        @Test func `a message over the limit is refused by name, and the session continues`() throws
        {
            try FaultBus.open { bus in
                let peer = try RawPeer(bus.endpoint)
                let limit = try limit("messageBytes", in: peer.greet())
                let name = RaisedFields(name: EventName("Order")).fields
                var trigger = Header.trigger(1)
                trigger.fieldsLength = UInt32(name.count)
                let begin = trigger.encoded() + name
                let room = limit - begin.count
                try peer.send(begin + [UInt8](repeating: 0x20, count: room + 1))
                let refused = try peer.next(Refused.self)
                #expect(refused.code == .limitReached && refused.sequence == 1)
                #expect(refused.sentence.contains("messageBytes of \(limit)"))
                trigger.sequence = 2
                try peer.send(
                    trigger.encoded() + name + [UInt8](repeating: 0x20, count: room))
                let ended = try peer.next(OutcomeMessage.self)
                #expect(ended.code == .unhandled && ended.sequence == 2)
            }
        }

        @Test func `a replacement over the limit fails the event at its node`() throws {
            try FaultBus.open { bus in
                let handler = try RawPeer(bus.endpoint)
                let limit = try limit("messageBytes", in: handler.greet())
                _ = try handler.attach(
                    NodeDeclaration(
                        path: "/kitchen",
                        responders: [ResponderDeclaration(.transform, EventName("Order"))]))
                let origin = try RawPeer.greeted(bus.endpoint)
                let fields = RaisedFields(name: EventName("Order"), origin: "/kitchen").fields
                try origin.send(Header.trigger(1), fields: fields)
                let visit = try handler.nextVisit()
                let verdict = Verdict(
                    delivery: visit.id, node: visit.node, code: .replaced,
                    newName: EventName("Plate"))
                try handler.send(verdict.encoded() + [UInt8](repeating: 0x20, count: limit))
                let ended = try origin.next(OutcomeMessage.self)
                #expect(ended.code == .failed && ended.failure?.node == "/kitchen")
                #expect(ended.failure?.name.description == "limitReached")
                try handler.query()
            }
        }

        private func limit(_ name: String, in welcome: Welcome) throws -> Int {
            Int(try #require(welcome.limits.first { $0.name == name }).value)
        }

        @Test func `too many nodes, responders, subscriptions or repeating queries are refused`()
            throws
        {
            try FaultBus.open { bus in
                let peer = try RawPeer.greeted(bus.endpoint)
                let nodes = try (0..<1_025).map { NodeDeclaration(path: try NodePath("/n\($0)")) }
                try refuse(peer, nodes, "1025 nodes")
                let responders = [ResponderDeclaration](
                    repeating: ResponderDeclaration(.observe, nil), count: 1_025)
                try refuse(
                    peer, [NodeDeclaration(path: "/n", responders: responders)], "1025 responders")
                let names = try (0..<1_025).map { try EventName("Name\($0)") }
                try refuse(
                    peer, [NodeDeclaration(path: "/n", subscriptions: names)],
                    "1025 subscriptions")
                for request in 1...17 {
                    try peer.send(Query(request: UInt64(request), .bus, isRepeating: true))
                }
                for _ in 1...16 {
                    #expect(try peer.next().header.command == .answer)
                }
                let refused = try peer.next(Refused.self)
                #expect(refused.code == .limitReached && refused.request == 17)
                #expect(refused.sentence.contains("repeatingQueries"))
            }
        }

        private func refuse(
            _ peer: RawPeer, _ nodes: [NodeDeclaration], _ words: String
        ) throws {
            try peer.send(Attach(request: 1, nodes: nodes))
            let refused = try peer.next(Refused.self)
            #expect(refused.code == .limitReached)
            #expect(refused.sentence.contains(words), "\(refused.sentence)")
        }
    }
}
