// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import ZeroMQ

/// What is to be sent to each peer at the end of a turn, as slots of the message store.
///
/// The frames for one peer go out as one message: it is addressed once, and its reader woken once,
/// however many there are. What a peer takes no more of stays here until it does, so that libzmq's
/// own queues, whose bytes nobody counts, can be short.
struct Outbox {
    private struct Entry {
        /// Of the peer that the frames are for: an index may have a new peer before the turn ends.
        var generation: UInt32 = 0
        var frames: [UInt32] = []
        var byteCount = 0
    }

    private var entries: [Entry] = []
    /// The peers that have frames, in the order in which they got their first.
    private(set) var peers: [PeerID] = []

    /// Behind a flush: whether somebody takes nothing more for now.
    var isBlocked: Bool {
        !peers.isEmpty
    }

    mutating func append(_ slot: UInt32, byteCount: Int, to peer: PeerID) {
        while entries.count <= peer.index {
            entries.append(Entry())
        }
        if entries[Int(peer.index)].frames.isEmpty {
            entries[Int(peer.index)].generation = peer.generation
            peers.append(peer)
        }
        entries[Int(peer.index)].frames.append(slot)
        entries[Int(peer.index)].byteCount += byteCount
    }

    func frames(of peer: PeerID) -> [UInt32] {
        has(peer) ? entries[Int(peer.index)].frames : []
    }

    func byteCount(of peer: PeerID) -> Int {
        has(peer) ? entries[Int(peer.index)].byteCount : 0
    }

    /// The peer's frames are on their way or given up.
    mutating func clear(_ peer: PeerID) {
        if has(peer) {
            entries[Int(peer.index)].frames.removeAll(keepingCapacity: true)
            entries[Int(peer.index)].byteCount = 0
        }
    }

    /// Forgets the peers that have no frames any more.
    mutating func clearPeers() {
        guard peers.contains(where: { byteCount(of: $0) > 0 }) else {
            peers.removeAll(keepingCapacity: true)
            return
        }
        peers = peers.filter { byteCount(of: $0) > 0 }
    }

    private func has(_ peer: PeerID) -> Bool {
        peer.index < entries.count && entries[Int(peer.index)].generation == peer.generation
    }
}
