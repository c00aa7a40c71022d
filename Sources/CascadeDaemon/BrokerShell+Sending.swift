// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import ZeroMQ

/// Sending: everything goes through the outbox, and out at the end of a turn.
extension BrokerShell {
    mutating func send(_ header: Header, to peer: PeerID) {
        let slot = store.allocate(byteCount: Header.byteCount)
        header.write(into: store.bytes(slot))
        outbox.append(slot, byteCount: Header.byteCount, to: peer)
    }

    mutating func send(_ message: [UInt8], to peer: PeerID) {
        let slot = store.allocate(byteCount: message.count)
        store.bytes(slot).copyBytes(from: message)
        outbox.append(slot, byteCount: message.count, to: peer)
    }

    mutating func forward(
        _ payload: PayloadID, to peer: PeerID, _ itinerary: Itinerary?, isLast: Bool
    ) {
        if let itinerary {
            send(itinerary.encoded(), to: peer)
        }
        let slot = slot(of: payload)
        let byteCount = store.bytes(slot).count
        outbox.append(isLast ? slot : store.share(slot), byteCount: byteCount, to: peer)
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

    /// Sends what a peer is to get as one message. Whether the peer can be reached, and takes
    /// anything, shows at the frame that names it, and nowhere else.
    mutating func flush(_ peer: PeerID) {
        let frames = outbox.frames(of: peer)
        guard let last = frames.last else {
            return
        }
        switch address(peer) {
        case .sent:
            break
        case .wouldBlock where outbox.byteCount(of: peer) <= unreadByteCountMax:
            // It is tried again soon.
            return
        case .wouldBlock:
            log.doesNotRead(peer)
            unread.insert(peer)
            fallthrough
        case .unreachable:
            unreachable.append(peer)
            discard(peer)
            return
        }
        var isOnItsWay = true
        for slot in frames {
            if isOnItsWay {
                let result = Self.trySending(log) { () throws(ZeroMQError) in
                    try store.sendMoving(slot, through: socket, more: slot != last)
                }
                isOnItsWay = result == .sent
            }
            if !isOnItsWay {
                store.release(slot)
            }
        }
        if !isOnItsWay {
            unreachable.append(peer)
        }
        outbox.clear(peer)
    }

    /// Gives up what the peer was to get.
    mutating func discard(_ peer: PeerID) {
        for slot in outbox.frames(of: peer) {
            store.release(slot)
        }
        outbox.clear(peer)
    }

    private mutating func address(_ peer: PeerID) -> Socket.SendResult {
        guard let id = routes.id(of: peer) else {
            return .unreachable
        }
        return Self.trySending(log) { () throws(ZeroMQError) in
            try id.withBytes { bytes throws(ZeroMQError) in
                try socket.send(bytes: bytes, more: true)
            }
        }
    }

    @inline(__always)
    private static func trySending(
        _ log: BrokerLog, _ send: () throws(ZeroMQError) -> Socket.SendResult
    ) -> Socket.SendResult {
        do throws(ZeroMQError) {
            return try send()
        } catch {
            log.failed(error)
            return .unreachable
        }
    }
}
