// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import ZeroMQ

/// Sending: everything goes through the outbox, and out at the end of a turn.
extension BrokerShell {
    mutating func send(_ header: Header, to peer: PeerID) {
        let slot = store.allocate(byteCount: Header.byteCount)
        header.write(into: store.bytes(slot))
        outbox.append(slot, to: peer)
    }

    mutating func send(_ message: [UInt8], to peer: PeerID) {
        let slot = store.allocate(byteCount: message.count)
        store.bytes(slot).copyBytes(from: message)
        outbox.append(slot, to: peer)
    }

    mutating func forward(
        _ payload: PayloadID, to peer: PeerID, _ itinerary: Itinerary?, isLast: Bool
    ) {
        if let itinerary {
            send(itinerary.encoded(), to: peer)
        }
        let slot = slot(of: payload)
        outbox.append(isLast ? slot : store.share(slot), to: peer)
        if isLast {
            composed[payload] = nil
        }
    }

    mutating func flush() {
        for peer in outbox.peers {
            flush(peer)
        }
        outbox.clearPeers()
    }

    /// Sends what a peer is to get as one message. Whether the peer can be reached shows at the
    /// frame that names it, and nowhere else.
    mutating func flush(_ peer: PeerID) {
        let frames = outbox.frames(of: peer)
        guard let last = frames.last else {
            return
        }
        var isOnItsWay = address(peer)
        var failure: ZeroMQError?
        for slot in frames {
            if isOnItsWay {
                let result = Self.trySending(&failure) { () throws(ZeroMQError) in
                    try store.sendMoving(slot, through: socket, more: slot != last)
                }
                isOnItsWay = note(result, peer)
            }
            if !isOnItsWay {
                store.release(slot)
            }
        }
        outbox.clear(peer)
        report(failure)
    }

    private mutating func address(_ peer: PeerID) -> Bool {
        guard let id = routes.id(of: peer) else {
            return false
        }
        var failure: ZeroMQError?
        let result = Self.trySending(&failure) { () throws(ZeroMQError) in
            try id.withBytes { bytes throws(ZeroMQError) in
                try socket.send(bytes: bytes, more: true)
            }
        }
        report(failure)
        return note(result, peer)
    }

    @inline(__always)
    private static func trySending(
        _ failure: inout ZeroMQError?, _ send: () throws(ZeroMQError) -> Socket.SendResult
    ) -> Socket.SendResult {
        do throws(ZeroMQError) {
            return try send()
        } catch {
            failure = error
            return .unreachable
        }
    }

    private mutating func report(_ failure: ZeroMQError?) {
        if let failure {
            log.failed(failure, at: now)
        }
    }

    /// Returns whether the message is on its way; a peer that takes none is given up.
    private mutating func note(_ result: Socket.SendResult, _ peer: PeerID) -> Bool {
        if result == .wouldBlock {
            log.doesNotRead(peer, processes.processID(of: peer), at: now)
            unread.insert(peer)
        }
        if result != .sent {
            unreachable.append(peer)
        }
        return result == .sent
    }
}
