// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import DequeModule
import LocalTransport

/// Received messages that wait to be processed in later turns. Users take turns, and so do the peers
/// of each user.
struct Backlog {
    private struct Entry {
        var generation: UInt32 = 0
        var owner: Owner?
        var payloads: Deque<ReceivedPayload> = []
        var byteCount = 0
    }

    private var entries: [Entry] = []
    /// The peers with waiting messages. Removed peers stay in it until their turn.
    private var turns = TurnQueue<Owner, PeerID>()
    /// The number of peers with waiting messages.
    private(set) var peerCount = 0
    /// The bytes of all waiting messages.
    private(set) var byteCount = 0
    private var byteCounts: [Owner: Int] = [:]

    var isEmpty: Bool {
        peerCount == 0
    }

    /// Whether the peer has waiting messages; its new messages must be queued behind them.
    func holds(_ peer: PeerID) -> Bool {
        count(of: peer) > 0
    }

    func count(of peer: PeerID) -> Int {
        has(peer) ? entries[Int(peer.index)].payloads.count : 0
    }

    func byteCount(of peer: PeerID) -> Int {
        has(peer) ? entries[Int(peer.index)].byteCount : 0
    }

    func byteCount(of owner: Owner) -> Int {
        byteCounts[owner] ?? 0
    }

    // MARK: - Messages

    mutating func append(_ payload: ReceivedPayload, of peer: PeerID, _ owner: Owner) {
        open(peer, owner)
        entries[Int(peer.index)].payloads.append(payload)
        count(payload.count, of: peer, owner)
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

    private mutating func count(_ change: Int, of peer: PeerID, _ owner: Owner) {
        entries[Int(peer.index)].byteCount += change
        byteCount += change
        let ofOwner = byteCounts[owner, default: 0] + change
        byteCounts[owner] = ofOwner == 0 ? nil : ofOwner
    }

    // MARK: - Turns

    /// The peer whose turn it is, and the first of its messages. The caller must pass the peer to
    /// ``removeFirst(of:)`` or ``postpone(_:)``. The next call continues with another user.
    mutating func next() -> (peer: PeerID, payload: ReceivedPayload)? {
        while let peer = turns.popFirst() {
            if holds(peer), let payload = entries[Int(peer.index)].payloads.first {
                return (peer, payload)
            }
        }
        return nil
    }

    /// Removes the peer's first message. If the peer has more, it is queued for another turn.
    mutating func removeFirst(of peer: PeerID) {
        guard holds(peer), let owner = entries[Int(peer.index)].owner else {
            return
        }
        let payload = entries[Int(peer.index)].payloads.removeFirst()
        count(-payload.count, of: peer, owner)
        if entries[Int(peer.index)].payloads.isEmpty {
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
        turns.append(peer, of: owner)
    }

    /// Removes all messages of a peer.
    mutating func removeAll(of peer: PeerID) {
        guard holds(peer), let owner = entries[Int(peer.index)].owner else {
            return
        }
        count(-entries[Int(peer.index)].byteCount, of: peer, owner)
        forget(peer)
    }

    private mutating func forget(_ peer: PeerID) {
        entries[Int(peer.index)] = Entry()
        peerCount -= 1
    }

    private func has(_ peer: PeerID) -> Bool {
        peer.index < entries.count && entries[Int(peer.index)].generation == peer.generation
    }
}
