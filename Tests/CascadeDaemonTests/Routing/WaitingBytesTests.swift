// SPDX-License-Identifier: Apache-2.0

import Testing
import ZeroMQ

@testable import CascadeBroker
@testable import CascadeDaemon

@Suite struct WaitingBytesTests {
    private static func peer(_ index: UInt32) -> PeerID {
        PeerID(index: index, generation: 1)
    }

    @Test func `a user is forgotten once its peers have gone and their bytes are freed`() throws {
        var waiting = WaitingBytes()
        waiting.insert(Self.peer(0), of: Owner(userID: 7))
        let unread = try #require(waiting.unread(of: Self.peer(0)))
        unread.add(100)
        waiting.remove(Self.peer(0))
        #expect(waiting.userCount == 1)
        #expect(waiting.total.byteCount == 100 && waiting.byteCount == 0)
        // libzmq frees the bytes later.
        unread.add(-100)
        waiting.insert(Self.peer(1), of: Owner(userID: 8))
        #expect(waiting.userCount == 1)
        waiting.remove(Self.peer(1))
        #expect(waiting.userCount == 0)
    }

    @Test func `a user that connects again before its bytes are freed keeps its entry`() throws {
        var waiting = WaitingBytes()
        waiting.insert(Self.peer(0), of: Owner(userID: 7))
        let unread = try #require(waiting.unread(of: Self.peer(0)))
        unread.add(100)
        waiting.remove(Self.peer(0))
        waiting.insert(Self.peer(1), of: Owner(userID: 7))
        #expect(waiting.total.byteCount == 100 && waiting.byteCount(of: Owner(userID: 7)) == 0)
        unread.add(-100)
        waiting.insert(Self.peer(2), of: Owner(userID: 8))
        #expect(waiting.userCount == 2)
    }
}
