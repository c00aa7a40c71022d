// SPDX-License-Identifier: Apache-2.0

import CLinux
import CascadeBroker
import ZeroMQ

/// Bounds of the bytes that wait to be read or processed: of a peer, of a user, of all peers.
extension BrokerShell {
    /// The bound that a peer has exceeded.
    enum Excess {
        case peer, user, total
    }

    /// Gives up peers while a bound is exceeded: the peer itself, or the one of its user or of all
    /// peers for which the most bytes wait. What a peer takes along that was given up counts no
    /// more for the next bound.
    mutating func boundWaiting(behind peer: PeerID) {
        guard outbox.waiting.total.byteCount > broker.leastWaitingByteCountMax else {
            return
        }
        let limits = broker.limits
        let unread = outbox.unreadByteCount(of: peer)
        if unread > Int(limits.unreadBytes), unread > outbox.largestByteCount(of: peer),
            unread - outbox.largestByteCount(of: peer) > Int(limits.unreadBytes)
        {
            giveUp(peer, .peer)
        }
        if let user = outbox.waiting.bytes(ofUserOf: peer),
            user.byteCount > Int(limits.bytesPerUser),
            outbox.waiting.byteCount(ofUserOf: peer) > Int(limits.bytesPerUser),
            let heaviest = heaviest(of: Array(outbox.waiting.peers(ofUserOf: peer)))
        {
            giveUp(heaviest, .user)
        }
        if outbox.waiting.total.byteCount > Int(limits.waitingBytes),
            outbox.waiting.byteCount > Int(limits.waitingBytes),
            let heaviest = heaviest(of: outbox.waiting.allPeers)
        {
            giveUp(heaviest, .total)
        }
    }

    private func heaviest(of peers: [PeerID]) -> PeerID? {
        let candidates = peers.filter { !givenUp.contains($0) }
        return candidates.max { waitingByteCount(of: $0) < waitingByteCount(of: $1) }
    }

    private func waitingByteCount(of peer: PeerID) -> Int {
        outbox.unreadByteCount(of: peer) + backlog.byteCount(of: peer)
    }

    private mutating func giveUp(_ peer: PeerID, _ excess: Excess) {
        guard !givenUp.contains(peer) else {
            return
        }
        givenUp.append(peer)
        log.doesNotRead(
            peer, processes.processID(of: peer), excess, waitingByteCount(of: peer), broker.limits,
            at: now)
        discard(peer)
        dropBacklog(of: peer)
        // libzmq frees the peer's frames with its connection; they are not counted any more.
        outbox.waiting.remove(peer)
    }

    /// Ends the sessions of the peers that were given up and closes their connections. A process
    /// that reads again later learns this way that its session has ended, and connects again.
    mutating func endGivenUp() {
        while let peer = givenUp.popLast() {
            guard routes.id(of: peer) != nil else {
                continue
            }
            exited.removeAll { $0.peer == peer }
            handle(.gone(peer))
            expel(peer)
            flush()
        }
    }

    // MARK: - Memory

    /// Returns the memory of a burst of messages to the system; called when the broker is idle.
    mutating func trimMemory() {
        if heapTrim.isDue(at: now) {
            store.trim()
            heapTrim.trim()
        }
    }
}
