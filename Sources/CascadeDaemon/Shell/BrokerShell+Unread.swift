// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// Bounds of the bytes that wait to be read or processed: of a peer, of a user, of all peers.
extension BrokerShell {
    /// The bound that a peer has exceeded.
    enum Excess {
        case peer, user, total
    }

    /// Gives up peers while a bound is exceeded: the peer itself, or the one of its user or of all
    /// peers for which the most bytes wait.
    mutating func boundWaiting(behind peer: PeerID) {
        guard waitingByteCount > broker.leastWaitingByteCountMax else {
            return
        }
        let limits = broker.limits
        let unread = transports.unreadByteCount(of: peer)
        let largest = transports.largestByteCount(of: peer)
        // One large answer is no reason to end the session of a peer that had no time to read it.
        if unread > largest, unread - largest > Int(limits.unreadBytes) {
            abandon(peer, .peer)
        }
        if let owner = peers.owner(of: peer),
            waitingByteCount(of: owner) > Int(limits.bytesPerUser),
            let heaviest = heaviest(of: Array(peers.peers(of: owner)))
        {
            abandon(heaviest, .user)
        }
        if waitingByteCount > Int(limits.waitingBytes), let heaviest = heaviest(of: peers.all) {
            abandon(heaviest, .total)
        }
    }

    private var waitingByteCount: Int {
        transports.unreadByteCount + backlog.byteCount
    }

    private func waitingByteCount(of owner: Owner) -> Int {
        transports.unreadByteCount(of: owner) + backlog.byteCount(of: owner)
    }

    private func waitingByteCount(of peer: PeerID) -> Int {
        transports.unreadByteCount(of: peer) + backlog.byteCount(of: peer)
    }

    private func heaviest(of peers: [PeerID]) -> PeerID? {
        let candidates = peers.filter { !abandoned.contains($0) }
        return candidates.max { waitingByteCount(of: $0) < waitingByteCount(of: $1) }
    }

    private mutating func abandon(_ peer: PeerID, _ excess: Excess) {
        guard !abandoned.contains(peer) else {
            return
        }
        abandoned.append(peer)
        log.doesNotRead(
            peer, processes.processID(of: peer), excess, waitingByteCount(of: peer), broker.limits,
            at: now)
        transports.abort(peer, at: now)
        backlog.removeAll(of: peer)
    }

    /// Ends the sessions of abandoned peers. A process that reads again later learns from the end
    /// of its connection that its session has ended, and connects again.
    mutating func endGivenUp() {
        while let peer = abandoned.popLast() {
            guard peers.contains(peer) else {
                continue
            }
            exited[peer] = nil
            handle(.gone(peer))
            forget(peer)
            flush()
        }
    }

    // MARK: - Memory

    /// Returns the memory of a burst of messages to the system; called when the broker is idle.
    mutating func trimMemory() {
        if heapTrim.isDue(at: now) {
            transports.trim()
            heapTrim.trim()
        }
    }
}
