// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeBroker
import CascadeWire

/// The transport between a link and a broker in memory. Both run on the same executor, so a send is
/// a call.
final class LoopbackTransport: SessionTransport {
    private unowned let link: Link
    private let broker: LoopbackBroker
    private let processID: UInt32
    private var peer: PeerID

    init(link: isolated Link, broker: LoopbackBroker, processID: UInt32) {
        self.link = link
        self.broker = broker
        self.processID = processID
        peer = broker.assumeIsolated { $0.connect(link, processID: processID) }
    }

    func send(_ header: Header) {
        send(header.encoded())
    }

    func send(_ message: [UInt8]) {
        let peer = peer
        broker.assumeIsolated { $0.received(message, from: peer) }
    }

    func send(_ header: Header, fields: [UInt8], payload: [UInt8]) {
        send(header.encoded() + fields + payload)
    }

    func reconnect() {
        close()
        let link = link
        let processID = processID
        peer = broker.assumeIsolated { $0.connect(link, processID: processID) }
        link.assumeIsolated { $0.connected() }
    }

    func close() {
        let peer = peer
        broker.assumeIsolated { $0.disconnect(peer) }
    }
}
