// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import ZeroMQ

/// What is to be sent to each peer at the end of a turn, as slots of the message store.
///
/// The frames for one peer go out as one message: it is addressed once, and its reader woken once,
/// however many there are.
struct Outbox {
    private struct Entry {
        /// Of the peer that the frames are for: an index may have a new peer before the turn ends.
        var generation: UInt32 = 0
        var frames: [UInt32] = []
    }

    private var entries: [Entry] = []
    /// The peers that have frames, in the order in which they got their first.
    private(set) var peers: [PeerID] = []

    mutating func append(_ slot: UInt32, to peer: PeerID) {
        while entries.count <= peer.index {
            entries.append(Entry())
        }
        if entries[Int(peer.index)].frames.isEmpty {
            entries[Int(peer.index)].generation = peer.generation
            peers.append(peer)
        }
        entries[Int(peer.index)].frames.append(slot)
    }

    func frames(of peer: PeerID) -> [UInt32] {
        has(peer) ? entries[Int(peer.index)].frames : []
    }

    /// The peer's frames are on their way or given up.
    mutating func clear(_ peer: PeerID) {
        if has(peer) {
            entries[Int(peer.index)].frames.removeAll(keepingCapacity: true)
        }
    }

    /// No peer has frames any more.
    mutating func clearPeers() {
        peers.removeAll(keepingCapacity: true)
    }

    private func has(_ peer: PeerID) -> Bool {
        peer.index < entries.count && entries[Int(peer.index)].generation == peer.generation
    }
}
