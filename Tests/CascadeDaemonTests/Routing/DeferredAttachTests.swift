// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Testing

@testable import CascadeDaemon

@Suite struct DeferredAttachTests {
    private func peer(_ index: UInt32) -> PeerID {
        PeerID(index: index, generation: 1)
    }

    @Test func `a peer is waited for directly and behind others, and each waiter is named once`() {
        let deferred = [
            BrokerShell.DeferredAttach(peer: peer(1), holders: [peer(0)]),
            BrokerShell.DeferredAttach(peer: peer(2), holders: [peer(5), peer(1)]),
            BrokerShell.DeferredAttach(peer: peer(3), holders: [peer(0), peer(2)]),
            BrokerShell.DeferredAttach(peer: peer(4), holders: [peer(5)]),
        ]
        #expect(deferred.peers(waitingFor: peer(0)) == [peer(1), peer(2), peer(3)])
        #expect(deferred.peers(waitingFor: peer(5)) == [peer(2), peer(3), peer(4)])
        #expect(deferred.peers(waitingFor: peer(4)).isEmpty)
    }

    @Test func `peers that already wait for each other do not keep the search going`() {
        let deferred = [
            BrokerShell.DeferredAttach(peer: peer(0), holders: [peer(1)]),
            BrokerShell.DeferredAttach(peer: peer(1), holders: [peer(0)]),
        ]
        #expect(deferred.peers(waitingFor: peer(0)) == [peer(0), peer(1)])
    }
}
