// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CascadeBroker

@Suite struct ExitsTests {
    private func peer(_ index: UInt32) -> PeerID {
        PeerID(index: index, generation: 1)
    }

    @Test func `a peer waits for exited holders only, and resumes when the last is removed`() {
        var exits = Exits()
        exits.recordExit(of: peer(1))
        exits.recordExit(of: peer(2))
        let waits = [
            exits.wait(peer(9), for: [peer(3)]),
            exits.wait(peer(9), for: [peer(1), peer(2), peer(3)]),
        ]
        #expect(waits == [false, true])
        exits.park(.deadline, byteCount: 0, of: peer(9), false)
        let ready = ([3, 1, 2] as [UInt32]).map { index -> PeerID? in
            _ = exits.remove(peer(index))
            return exits.firstReady
        }
        #expect(ready == [nil, nil, peer(9)])
        let first = exits.takeFirst(of: peer(9))
        #expect(first != nil && exits.firstReady == nil && !exits.isParkingAny)
        #expect(!exits.hasAny)
    }

    @Test func `no peers wait for each other, directly or indirectly`() {
        var exits = Exits()
        for index in 1...3 as ClosedRange<UInt32> {
            exits.recordExit(of: peer(index))
        }
        let waits = [
            exits.wait(peer(1), for: [peer(1)]),
            exits.wait(peer(1), for: [peer(2)]),
            exits.wait(peer(2), for: [peer(3)]),
            exits.wait(peer(3), for: [peer(1)]),
            exits.wait(peer(3), for: [peer(2)]),
        ]
        #expect(waits == [false, true, true, false, false])
        _ = exits.remove(peer(3))
        #expect(exits.firstReady == peer(2))
    }

    @Test func `a peer that is removed while it waits is not resumed`() {
        var exits = Exits()
        exits.recordExit(of: peer(1))
        let waits = exits.wait(peer(2), for: [peer(1)])
        #expect(waits)
        exits.park(.deadline, byteCount: 0, of: peer(2), false)
        let removed = ([2, 1] as [UInt32]).map { exits.remove(peer($0)).count }
        #expect(removed == [1, 0])
        #expect(exits.firstReady == nil && !exits.isParkingAny)
    }

    @Test func `inputs leave in their order, and one that waits again stays the first`() {
        var exits = Exits()
        for index in 1...2 as ClosedRange<UInt32> {
            exits.recordExit(of: peer(index))
        }
        let waits = exits.wait(peer(9), for: [peer(1)])
        #expect(waits)
        for index in 20...22 as ClosedRange<UInt32> {
            exits.park(.exited(peer(index)), byteCount: 0, of: peer(9), false)
        }
        _ = exits.remove(peer(1))
        var order: [UInt32] = []
        func takeFirst() {
            if case .exited(let peer)? = exits.takeFirst(of: peer(9)) {
                order.append(peer.index)
            }
        }
        takeFirst()
        let waitsAgain = exits.wait(peer(9), for: [peer(2)])
        exits.park(.exited(peer(20)), byteCount: 0, of: peer(9), true)
        #expect(waitsAgain && exits.firstReady == nil && exits.isParking(peer(9)))
        _ = exits.remove(peer(2))
        while exits.firstReady != nil {
            takeFirst()
        }
        #expect(order == [20, 20, 21, 22])
        #expect(!exits.isParking(peer(9)))
    }
}
