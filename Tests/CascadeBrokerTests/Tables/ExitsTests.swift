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
        let resumed = [3, 1, 2].map { exits.remove(peer($0)) }
        #expect(resumed == [[], [], [peer(9)]])
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
        let resumed = exits.remove(peer(3))
        #expect(resumed == [peer(2)])
    }

    @Test func `a peer that is removed while it waits is not resumed`() {
        var exits = Exits()
        exits.recordExit(of: peer(1))
        let waits = exits.wait(peer(2), for: [peer(1)])
        #expect(waits)
        let resumed = [2, 1].map { exits.remove(peer($0)) }
        #expect(resumed == [[], []])
    }
}
