// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import Testing

/// The numbers of places of other buses, which a session that raises messages for them keeps.
@Suite struct ForeignOriginTests {
    private static let mount: NodePath = "/shop/ulm"
    private static let ulm = PeerID(index: 1, generation: 1)

    /// A bus with a mount, and a node above it that gets its events.
    private struct Bus: ~Copyable {
        var broker = Broker(
            configuration: BrokerConfiguration(bus: "test", release: "1", processID: 1),
            at: Instant(nanoseconds: 0))
        var effects: [Effect] = []
        var lastSequence: UInt64 = 0

        init() {
            for peer in [shop, ForeignOriginTests.ulm] {
                handle(
                    .connected(
                        peer,
                        Credentials(processID: peer.index + 1, userID: 1000, groupID: 1000)))
                send(
                    Hello(
                        session: SessionID(high: 0, low: UInt64(peer.index) + 1), program: "",
                        processID: 0), from: peer)
            }
            var top = NodeDeclaration(
                path: "/shop", responders: [ResponderDeclaration(.observe, "PrintJob")])
            top.prefetch = 10_000
            send(Attach(request: 1, nodes: [top]), from: shop)
            var mount = NodeDeclaration(path: ForeignOriginTests.mount)
            mount.isMount = true
            send(Attach(request: 1, nodes: [mount]), from: ForeignOriginTests.ulm)
            effects = []
        }

        private let shop = PeerID(index: 0, generation: 1)

        mutating func handle(_ input: Input) {
            broker.handle(input, at: Instant(nanoseconds: 0), into: &effects)
        }

        mutating func send(_ message: some WireMessage, from peer: PeerID) {
            handle(.received(peer, OwnedPayload(message.encoded())))
        }

        /// Triggers an event of the place with this number. Returns the definitions that are sent for it.
        mutating func trigger(from place: Int) throws -> [Define.Definition] {
            lastSequence += 1
            let id = EventID(session: SessionID(high: 7, low: 7), sequence: lastSequence)
            var fields = FieldWriter()
            RaisedFields(
                name: "PrintJob", origin: try NodePath("/shop/ulm/till\(place)"),
                raisedAs: RaisedAs(id)
            ).write(to: &fields)
            var node: UInt32?
            for (number, place) in broker.places where place.path == ForeignOriginTests.mount {
                node = number
            }
            let header = Header(
                .trigger, flags: [.addressedInFields, .unacknowledged],
                fieldsLength: UInt32(fields.bytes.count), node: node ?? Header.noNode,
                sequence: lastSequence)
            effects = []
            handle(
                .received(
                    ForeignOriginTests.ulm, OwnedPayload(header.encoded() + fields.bytes)))
            return try effects.flatMap { effect throws(WireError) -> [Define.Definition] in
                guard case .sendMessage(let message, to: shop) = effect,
                    message.first == Command.define.rawValue
                else {
                    return []
                }
                return try Define(parsing: message).definitions
            }
        }
    }

    @Test func `a place and a session are defined once for many events`() throws {
        var bus = Bus()
        #expect(try bus.trigger(from: 1).count == 2)
        #expect(try bus.trigger(from: 1).isEmpty)
        #expect(try bus.trigger(from: 2).count == 1)
        #expect(try bus.trigger(from: 1).isEmpty)
    }

    @Test func `the places that keep their numbers are limited, and none of them is in the tree`()
        throws
    {
        var bus = Bus()
        let places = bus.broker.places.count
        for place in 0..<600 {
            #expect(try bus.trigger(from: place).contains { $0.isNode })
        }
        #expect(bus.broker.places.count == places)
        #expect(try bus.trigger(from: 599).isEmpty)
        #expect(try bus.trigger(from: 0).count == 1)
    }

    @Test func `nothing is left when the mount has gone`() throws {
        var bus = Bus()
        for place in 0..<300 {
            _ = try bus.trigger(from: place)
        }
        bus.handle(.gone(Self.ulm))
        bus.handle(.gone(PeerID(index: 0, generation: 1)))
        while let deadline = bus.broker.nextDeadline, deadline < Instant(nanoseconds: 60 << 30) {
            bus.broker.handle(.deadline, at: deadline, into: &bus.effects)
        }
        #expect(bus.broker.remains == [])
    }
}

extension Define.Definition {
    fileprivate var isNode: Bool {
        if case .node = self { true } else { false }
    }
}
