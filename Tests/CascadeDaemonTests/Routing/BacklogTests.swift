// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Testing

@testable import CascadeDaemon

@Suite struct BacklogTests {
    private static let greedy = Credentials(processID: 1, userID: 7, groupID: 7).owner
    private static let modest = Credentials(processID: 2, userID: 8, groupID: 8).owner

    private nonisolated(unsafe) static let bytes = UnsafeRawBufferPointer(
        UnsafeMutableRawBufferPointer.allocate(byteCount: 2_000, alignment: 1))

    private func peer(_ index: UInt32, _ generation: UInt32 = 1) -> PeerID {
        PeerID(index: index, generation: generation)
    }

    /// A payload whose size tells it from others.
    private func payload(_ byteCount: Int) -> ReceivedPayload {
        let payload = ReceivedPayload()
        payload.refer(to: UnsafeRawBufferPointer(rebasing: Self.bytes[..<byteCount]))
        return payload
    }

    @Test func `users take turns, whatever their number of peers and messages`() throws {
        var backlog = Backlog()
        for number in 1...300 {
            backlog.append(payload(number), of: peer(UInt32(number % 3)), Self.greedy)
        }
        backlog.append(payload(1_000), of: peer(3), Self.modest)
        backlog.append(payload(1_001), of: peer(3), Self.modest)
        #expect(backlog.byteCount(of: Self.modest) == 2_001)
        #expect(backlog.byteCount == 2_001 + 300 * 301 / 2)
        var order: [Int] = []
        while let (peer, payload) = backlog.next() {
            order.append(payload.count)
            backlog.removeFirst(of: peer)
        }
        #expect(order.prefix(6) == [1, 1_000, 2, 1_001, 3, 4])
        #expect(order.count == 302)
        for index in 0..<3 {
            let own = order.filter { $0 <= 300 && $0 % 3 == index }
            #expect(own == own.sorted())
        }
        #expect(backlog.isEmpty && backlog.byteCount == 0)
        #expect(backlog.byteCount(of: Self.greedy) == 0)
    }

    @Test func `a postponed peer keeps its messages, and a removed one loses them`() {
        var backlog = Backlog()
        backlog.append(payload(5), of: peer(0), Self.greedy)
        backlog.append(payload(6), of: peer(1), Self.modest)
        #expect(backlog.next()?.payload.count == 5)
        backlog.postpone(peer(0))
        #expect(backlog.next()?.payload.count == 6)
        backlog.postpone(peer(1))
        #expect(backlog.count(of: peer(0)) == 1 && backlog.byteCount(of: peer(1)) == 6)
        backlog.removeAll(of: peer(0))
        #expect(!backlog.holds(peer(0)) && !backlog.holds(peer(0, 2)))
        #expect(backlog.byteCount(of: Self.greedy) == 0 && backlog.byteCount == 6)
        backlog.append(payload(3), of: peer(0, 2), Self.greedy)
        #expect(backlog.next()?.payload.count == 6)
        backlog.postpone(peer(1))
        #expect(backlog.next()?.payload.count == 3)
    }
}
