// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Testing

@testable import CascadeDaemon

@Suite struct BacklogTests {
    private static let greedy = Credentials(processID: 1, userID: 7, groupID: 7).owner
    private static let modest = Credentials(processID: 2, userID: 8, groupID: 8).owner

    private func peer(_ index: UInt32, _ generation: UInt32 = 1) -> PeerID {
        PeerID(index: index, generation: generation)
    }

    @Test func `users take turns, whatever their number of peers and messages`() throws {
        var backlog = Backlog()
        for slot in 0..<300 as Range<UInt32> {
            backlog.append(slot, byteCount: 10, of: peer(slot % 3), Self.greedy)
        }
        backlog.append(1_000, byteCount: 10, of: peer(3), Self.modest)
        backlog.append(1_001, byteCount: 10, of: peer(3), Self.modest)
        var order: [UInt32] = []
        while let (peer, slot) = backlog.next() {
            order.append(slot)
            backlog.removeFirst(of: peer, byteCount: 10)
        }
        #expect(order.prefix(6) == [0, 1_000, 1, 1_001, 2, 3])
        #expect(order.count == 302)
        for index in 0..<3 as Range<UInt32> {
            let own = order.filter { $0 < 300 && $0 % 3 == index }
            #expect(own == own.sorted())
        }
        #expect(backlog.isEmpty)
    }

    @Test func `a postponed peer keeps its messages, and a removed peer loses them`() {
        var backlog = Backlog()
        backlog.append(1, byteCount: 5, of: peer(0), Self.greedy)
        backlog.append(2, byteCount: 6, of: peer(1), Self.modest)
        #expect(backlog.next()?.slot == 1)
        backlog.postpone(peer(0))
        #expect(backlog.next()?.slot == 2)
        backlog.postpone(peer(1))
        #expect(backlog.count(of: peer(0)) == 1 && backlog.byteCount(of: peer(1)) == 6)
        #expect(Array(backlog.removeAll(of: peer(0))) == [1])
        #expect(!backlog.holds(peer(0)) && !backlog.holds(peer(0, 2)))
        backlog.append(3, byteCount: 5, of: peer(0, 2), Self.greedy)
        #expect(backlog.next()?.slot == 2)
        backlog.postpone(peer(1))
        #expect(backlog.next()?.slot == 3)
    }
}
