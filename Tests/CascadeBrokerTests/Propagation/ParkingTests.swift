// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CascadeBroker

@Suite struct ParkingTests {
    private let events = (0..<4).map { EventIndex.imagined($0) }

    @Test func `events await reattachment first, and are held later`() {
        var parking = Parking()
        parking.beginReattach()
        #expect(parking.park(events[0]) == .awaitingReattach)
        #expect(parking.held.isEmpty)
        #expect(parking.endReattach() == [.event(events[0])])
        #expect(!parking.isAwaitingReattach)
        #expect(parking.park(events[0]) == .held)
        #expect(parking.held == [events[0]])
    }

    @Test func `held events leave in the order of parking`() {
        var parking = Parking()
        for event in events {
            _ = parking.park(event)
        }
        #expect(parking.takeHeld([]) == [])
        #expect(parking.takeHeld([events[3], events[0]]) == [events[0], events[3]])
        #expect(parking.held == [events[1], events[2]])
        #expect(parking.takeHeld([events[0]]) == [])
    }

    @Test func `a parked event is removed once, from where it is parked`() {
        var parking = Parking()
        parking.beginReattach()
        _ = parking.park(events[0])
        #expect(parking.remove(events[0], parkedAs: .held) == false)
        #expect(parking.remove(events[0], parkedAs: .awaitingReattach) == true)
        #expect(parking.remove(events[0], parkedAs: .awaitingReattach) == false)
        _ = parking.endReattach()
        _ = parking.park(events[0])
        #expect(parking.remove(events[0], parkedAs: .awaitingReattach) == false)
        #expect(parking.remove(events[0], parkedAs: .held) == true)
        #expect(parking.remove(events[0], parkedAs: .held) == false)
    }

    @Test func `events that may go on are taken, and the others keep their order`() {
        let publication = Delivery.Subject.publication(.imagined(0))
        var parking = Parking()
        parking.beginReattach()
        for event in events[0...2] {
            _ = parking.park(event)
        }
        #expect(parking.takeAwaitingReattach([]) == [])
        parking.awaitReattach(publication)
        #expect(parking.takeAwaitingReattach([events[1]]) == [.event(events[1]), publication])
        #expect(parking.takeAwaitingReattach([]) == [])
        parking.awaitReattach(publication)
        #expect(parking.remove(publication) == true)
        #expect(parking.takeAwaitingReattach([events[1]]) == [])
        parking.awaitReattach(.event(events[1]))
        #expect(parking.isAwaitingReattach)
        #expect(
            parking.endReattach()
                == [.event(events[0]), .event(events[2]), .event(events[1])])
    }

    @Test func `nothing awaits reattachment once it has ended`() {
        var parking = Parking()
        parking.awaitReattach(.event(events[0]))
        #expect(!parking.isAwaitingReattach)
        #expect(parking.takeAwaitingReattach([events[0]]) == [])
        #expect(parking.endReattach() == [])
    }
}
