// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import LocalTransport
import ZeroMQ

/// Sending through libzmq: frames wait in the outbox until libzmq takes them, which counts no bytes and
/// does not always say when its queue has room again.
extension ZeroMQPeers {
    func send(_ header: Header, _ content: UnsafeRawBufferPointer, to peer: PeerID) {
        let byteCount = Header.byteCount + content.count
        append(byteCount, to: peer) { memory in
            header.write(into: memory)
            if content.count > 0 {
                UnsafeMutableRawBufferPointer(rebasing: memory[Header.byteCount...])
                    .copyMemory(from: content)
            }
        }
    }

    func send(_ header: Header, behindHeaderOf shared: SharedBytes, to peer: PeerID) {
        send(
            header, UnsafeRawBufferPointer(rebasing: shared.bytes[Header.byteCount...]), to: peer)
    }

    func send(_ message: [UInt8], to peer: PeerID) {
        append(message.count, to: peer) { $0.copyBytes(from: message) }
    }

    private func append(
        _ byteCount: Int, to peer: PeerID, _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        guard routes.id(of: peer) != nil else {
            return
        }
        let counter =
            byteCount >= Outbox.countedByteCountMin ? outbox.waiting.unread(of: peer) : nil
        let slot =
            counter.map { store.allocate(byteCount: byteCount, countedBy: $0) }
            ?? store.allocate(byteCount: byteCount)
        fill(store.bytes(slot))
        outbox.append(
            Outbox.Frame(
                slot: slot, byteCount: UInt32(clamping: byteCount), isCounted: counter != nil),
            to: peer)
    }

    func flush(at now: Instant) {
        for peer in outbox.peers {
            flush(peer, at: now)
        }
        outbox.clearPeers()
    }

    /// Sends again to peers whose queues were full, up to ``triesPerTurn`` of them.
    func flushBlocked(at now: Instant) {
        for _ in 0..<min(outbox.blockedCount, Self.triesPerTurn) {
            if let peer = outbox.nextBlocked() {
                flush(peer, at: now)
            }
        }
    }

    private static let triesPerTurn = 256

    /// Sends the frames of a peer in as few messages as possible. Only the frame that names the
    /// peer shows whether the peer is reachable and has room in its queue.
    func flush(_ peer: PeerID, at now: Instant) {
        var count = outbox.chunkCount(of: peer)
        guard count > 0 else {
            return
        }
        while count > 0 {
            switch address(peer) {
            case .sent:
                guard sendFrames(count, to: peer) else {
                    lose(peer, at: now)
                    return
                }
                count = outbox.chunkCount(of: peer)
            case .wouldBlock:
                // `flushBlocked` tries the peer again.
                count = 0
            case .unreachable:
                lose(peer, at: now)
                return
            }
        }
        outbox.finish(peer)
        // Large frames are counted while they wait in libzmq, too.
        if outbox.unreadByteCount(of: peer) > 0 {
            blockedPeers.append(peer)
        }
    }

    /// Returns whether all frames were sent.
    private func sendFrames(_ count: Int, to peer: PeerID) -> Bool {
        for left in (0..<count).reversed() {
            let slot = outbox.takeFrame(of: peer)
            guard sendMoving(slot, more: left > 0) == .sent else {
                store.release(slot)
                return false
            }
        }
        return true
    }

    private func sendMoving(_ slot: UInt32, more: Bool) -> Socket.SendResult {
        do throws(ZeroMQError) {
            return try store.sendMoving(slot, through: socket, more: more)
        } catch {
            report(error)
            return .unreachable
        }
    }

    private func address(_ peer: PeerID) -> Socket.SendResult {
        guard let id = routes.id(of: peer) else {
            return .unreachable
        }
        do throws(ZeroMQError) {
            return try id.withBytes { bytes throws(ZeroMQError) in
                try socket.send(bytes: bytes, more: true)
            }
        } catch {
            report(error)
            return .unreachable
        }
    }

    /// Releases the unsent frames of a peer.
    func discard(_ peer: PeerID) {
        for _ in 0..<outbox.count(of: peer) {
            store.release(outbox.takeFrame(of: peer))
        }
        outbox.finish(peer)
    }
}
