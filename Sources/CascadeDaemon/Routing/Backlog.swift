// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import DequeModule

/// Received messages that wait to be processed in later turns, as slots of the message store. Users
/// take turns, and so do the peers of each user.
struct Backlog {
    private struct Entry {
        var generation: UInt32 = 0
        var owner: Owner?
        var slots: Deque<UInt32> = []
        var byteCount = 0
    }

    private var entries: [Entry] = []
    /// The peers with waiting messages, by user.
    private var peers: [Owner: Deque<PeerID>] = [:]
    /// The users with waiting messages, in the order of their turns.
    private var users: Deque<Owner> = []
    /// The number of peers with waiting messages.
    private(set) var peerCount = 0

    var isEmpty: Bool {
        peerCount == 0
    }

    /// Whether the peer has waiting messages; its new messages must be queued behind them.
    func holds(_ peer: PeerID) -> Bool {
        count(of: peer) > 0
    }

    func count(of peer: PeerID) -> Int {
        has(peer) ? entries[Int(peer.index)].slots.count : 0
    }

    func byteCount(of peer: PeerID) -> Int {
        has(peer) ? entries[Int(peer.index)].byteCount : 0
    }

    mutating func append(_ slot: UInt32, byteCount: Int, of peer: PeerID, _ owner: Owner) {
        open(peer, owner)
        entries[Int(peer.index)].slots.append(slot)
        entries[Int(peer.index)].byteCount += byteCount
    }

    /// Puts a message before all others of the peer.
    mutating func prepend(_ slot: UInt32, byteCount: Int, of peer: PeerID, _ owner: Owner) {
        open(peer, owner)
        entries[Int(peer.index)].slots.prepend(slot)
        entries[Int(peer.index)].byteCount += byteCount
    }

    /// Makes sure that the peer has an entry, and its turn.
    private mutating func open(_ peer: PeerID, _ owner: Owner) {
        while entries.count <= peer.index {
            entries.append(Entry())
        }
        if !holds(peer) {
            entries[Int(peer.index)] = Entry(generation: peer.generation, owner: owner)
            peerCount += 1
            queue(peer)
        }
    }

    // MARK: - Turns

    /// The peer whose turn it is, and the first of its messages. The caller must pass the peer to
    /// ``removeFirst(of:byteCount:)`` or ``postpone(_:)``. The next call continues with another
    /// user.
    mutating func next() -> (peer: PeerID, slot: UInt32)? {
        while let owner = users.popFirst() {
            let peer = peers[owner]?.popFirst()
            if peers[owner]?.isEmpty ?? true {
                peers[owner] = nil
            } else {
                users.append(owner)
            }
            // Removed peers stay in the queue of turns.
            if let peer, holds(peer), let slot = entries[Int(peer.index)].slots.first {
                return (peer, slot)
            }
        }
        return nil
    }

    /// Removes the peer's first message. If the peer has more, it is queued for another turn.
    mutating func removeFirst(of peer: PeerID, byteCount: Int) {
        guard holds(peer) else {
            return
        }
        entries[Int(peer.index)].slots.removeFirst()
        entries[Int(peer.index)].byteCount -= byteCount
        if entries[Int(peer.index)].slots.isEmpty {
            forget(peer)
        } else {
            queue(peer)
        }
    }

    /// Queues the peer for another turn, because its first message cannot be processed now.
    mutating func postpone(_ peer: PeerID) {
        queue(peer)
    }

    private mutating func queue(_ peer: PeerID) {
        guard let owner = entries[Int(peer.index)].owner else {
            return
        }
        if peers[owner] == nil {
            users.append(owner)
        }
        peers[owner, default: []].append(peer)
    }

    /// Removes and returns all messages of a peer.
    mutating func removeAll(of peer: PeerID) -> Deque<UInt32> {
        guard holds(peer) else {
            return []
        }
        let slots = entries[Int(peer.index)].slots
        forget(peer)
        return slots
    }

    private mutating func forget(_ peer: PeerID) {
        entries[Int(peer.index)] = Entry()
        peerCount -= 1
    }

    private func has(_ peer: PeerID) -> Bool {
        peer.index < entries.count && entries[Int(peer.index)].generation == peer.generation
    }
}
