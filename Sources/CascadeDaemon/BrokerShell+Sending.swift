// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import ZeroMQ

/// Sending: all frames go to the outbox, which is flushed at the end of a turn.
extension BrokerShell {
    mutating func send(_ header: Header, to peer: PeerID) {
        let slot = store.allocate(byteCount: Header.byteCount)
        header.write(into: store.bytes(slot))
        append(slot, byteCount: Header.byteCount, to: peer)
    }

    mutating func send(_ message: [UInt8], to peer: PeerID) {
        let counter =
            message.count >= Outbox.countedByteCountMin ? outbox.waiting.unread(of: peer) : nil
        let slot =
            counter.map { store.allocate(byteCount: message.count, countedBy: $0) }
            ?? store.allocate(byteCount: message.count)
        store.bytes(slot).copyBytes(from: message)
        append(slot, byteCount: message.count, isCounted: counter != nil, to: peer)
    }

    mutating func send(_ forward: Effect.Forward) {
        if let itinerary = forward.itinerary {
            send(itinerary.encoded(), to: forward.peer)
        }
        let payload = forward.payload
        let byteCount = payload.count
        let slot: UInt32
        if let received = payload as? MessagePayload {
            slot = received.frame(forward.header, isLast: forward.isLast, in: &store)
        } else {
            // The broker made the payload itself.
            slot = store.allocate(byteCount: byteCount)
            store.bytes(slot).copyMemory(from: payload.bytes)
            forward.header.write(into: store.bytes(slot))
        }
        append(slot, byteCount: byteCount, to: forward.peer)
    }

    private mutating func append(
        _ slot: UInt32, byteCount: Int, isCounted: Bool = false, to peer: PeerID
    ) {
        let frame = Outbox.Frame(
            slot: slot, byteCount: UInt32(clamping: byteCount), isCounted: isCounted)
        outbox.append(frame, to: peer)
    }

    mutating func flush() {
        storeHandover()
        for peer in outbox.peers {
            flush(peer)
        }
        outbox.clearPeers()
        submitToJournal()
    }

    /// Sends again to peers whose queues were full, up to ``triesPerTurn`` of them.
    mutating func flushBlocked() {
        for _ in 0..<min(outbox.blockedCount, Self.triesPerTurn) {
            if let peer = outbox.nextBlocked() {
                flush(peer)
            }
        }
    }

    private static let triesPerTurn = 256

    /// Sends the frames of a peer in as few messages as possible. Only the frame that names the
    /// peer shows whether the peer is reachable and has room in its queue.
    mutating func flush(_ peer: PeerID) {
        var count = outbox.chunkCount(of: peer)
        guard count > 0 else {
            return
        }
        while count > 0 {
            switch address(peer) {
            case .sent:
                guard sendFrames(count, to: peer) else {
                    loseConnection(of: peer)
                    return
                }
                count = outbox.chunkCount(of: peer)
            case .wouldBlock:
                // `flushBlocked` tries the peer again.
                count = 0
            case .unreachable:
                loseConnection(of: peer)
                return
            }
        }
        outbox.finish(peer)
        boundWaiting(behind: peer)
    }

    /// Returns whether all frames were sent.
    private mutating func sendFrames(_ count: Int, to peer: PeerID) -> Bool {
        var failure: ZeroMQError?
        defer { report(failure) }
        for left in (0..<count).reversed() {
            let slot = outbox.takeFrame(of: peer)
            let result = Self.trySending(&failure) { () throws(ZeroMQError) in
                try store.sendMoving(slot, through: socket, more: left > 0)
            }
            guard result == .sent else {
                store.release(slot)
                return false
            }
        }
        return true
    }

    private mutating func loseConnection(of peer: PeerID) {
        markUnreachable(peer)
        discard(peer)
    }

    /// Releases the unsent frames of a peer.
    mutating func discard(_ peer: PeerID) {
        for _ in 0..<outbox.count(of: peer) {
            store.release(outbox.takeFrame(of: peer))
        }
        outbox.finish(peer)
    }

    private mutating func address(_ peer: PeerID) -> Socket.SendResult {
        guard let id = routes.id(of: peer) else {
            return .unreachable
        }
        var failure: ZeroMQError?
        defer { report(failure) }
        return Self.trySending(&failure) { () throws(ZeroMQError) in
            try id.withBytes { bytes throws(ZeroMQError) in
                try socket.send(bytes: bytes, more: true)
            }
        }
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
}
