// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Testing

@testable import CascadeDaemon

@Suite struct LatecomerTests {
    private func peer(_ index: UInt32) -> PeerID {
        PeerID(index: index, generation: 1)
    }

    @Test func `a peer is waited for directly and behind others, and each waiter is named once`() {
        let latecomers = [
            BrokerShell.Latecomer(peer: peer(1), holders: [peer(0)]),
            BrokerShell.Latecomer(peer: peer(2), holders: [peer(5), peer(1)]),
            BrokerShell.Latecomer(peer: peer(3), holders: [peer(0), peer(2)]),
            BrokerShell.Latecomer(peer: peer(4), holders: [peer(5)]),
        ]
        #expect(latecomers.peers(waitingFor: peer(0)) == [peer(1), peer(2), peer(3)])
        #expect(latecomers.peers(waitingFor: peer(5)) == [peer(2), peer(3), peer(4)])
        #expect(latecomers.peers(waitingFor: peer(4)).isEmpty)
    }

    @Test func `peers that already wait for each other do not keep the search going`() {
        let latecomers = [
            BrokerShell.Latecomer(peer: peer(0), holders: [peer(1)]),
            BrokerShell.Latecomer(peer: peer(1), holders: [peer(0)]),
        ]
        #expect(latecomers.peers(waitingFor: peer(0)) == [peer(0), peer(1)])
    }
}
