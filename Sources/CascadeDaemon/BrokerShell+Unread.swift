// SPDX-License-Identifier: Apache-2.0

import CLinux
import CascadeBroker
import ZeroMQ

/// Bounds of what waits: of a peer, of its user, of all peers together.
extension BrokerShell {
    /// What a peer that is given up has exceeded.
    enum Excess {
        case peer, user, total
    }

    /// Gives up the peer, or the one with the most unread of its user or of all, if too much waits.
    mutating func boundWaiting(behind peer: PeerID) {
        guard outbox.waiting.total.byteCount > broker.leastWaitingByteCountMax else {
            return
        }
        let waiting = outbox.waiting
        let limits = broker.limits
        let unread = outbox.unreadByteCount(of: peer)
        if unread > Int(limits.unreadBytes), unread > outbox.largestByteCount(of: peer),
            unread - outbox.largestByteCount(of: peer) > Int(limits.unreadBytes)
        {
            giveUp(peer, .peer)
        }
        if let user = waiting.bytes(ofUserOf: peer), user.byteCount > Int(limits.bytesPerUser),
            waiting.byteCount(ofUserOf: peer) > Int(limits.bytesPerUser),
            let heaviest = heaviest(of: Array(waiting.peers(ofUserOf: peer)))
        {
            giveUp(heaviest, .user)
        }
        if waiting.total.byteCount > Int(limits.waitingBytes),
            waiting.byteCount > Int(limits.waitingBytes),
            let heaviest = heaviest(of: waiting.allPeers)
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
        // What libzmq holds for it is freed with its connection, and counts no longer.
        outbox.waiting.remove(peer)
    }

    /// Ends the sessions of the peers that were given up. Their connections are closed: a process
    /// that reads again later finds out that it has been given up, and comes back.
    mutating func endGivenUp() {
        while let peer = givenUp.popLast() {
            guard routes.id(of: peer) != nil else {
                continue
            }
            ending.removeAll { $0.peer == peer }
            handle(.gone(peer))
            expel(peer)
            flush()
        }
    }

    // MARK: - Giving memory back

    /// Bytes that have to have waited before memory is given back to the system.
    private static let trimmedByteCountMin = 16 << 20
    private static let trimMilliseconds: UInt32 = 500

    /// Gives memory back when most of what waited has gone. To be called when there is nothing to
    /// do: it takes milliseconds.
    mutating func trimMemory() {
        let unread = outbox.waiting.total.byteCount
        mostWaiting = max(mostWaiting, unread + store.capacity * Self.slotByteCount)
        guard mostWaiting > Self.trimmedByteCountMin, nextTrim <= now else {
            return
        }
        nextTrim = now.advanced(byMilliseconds: Self.trimMilliseconds)
        let needed = unread + store.count * Self.slotByteCount
        if needed < mostWaiting / 2 {
            store.trim()
            cascade_trim_memory()
            mostWaiting = needed
        }
    }

    /// When memory may be given back; `nil` where little was taken.
    var trimDeadline: Instant? {
        mostWaiting > Self.trimmedByteCountMin ? nextTrim : nil
    }

    /// Bytes of `zmq_msg_t`.
    private static let slotByteCount = 64
}
