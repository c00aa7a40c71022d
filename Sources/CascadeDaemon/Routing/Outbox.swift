// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import ZeroMQ

/// What is to be sent to each peer at the end of a turn, as slots of the message store.
///
/// The frames for one peer go out as one message: it is addressed once, and its reader woken once,
/// however many there are.
struct Outbox {
    private var frames: [[UInt32]] = []
    /// The peers that have frames, in the order in which they got their first.
    private(set) var peers: [PeerID] = []

    mutating func append(_ slot: UInt32, to peer: PeerID) {
        while frames.count <= peer.index {
            frames.append([])
        }
        if frames[Int(peer.index)].isEmpty {
            peers.append(peer)
        }
        frames[Int(peer.index)].append(slot)
    }

    func frames(of peer: PeerID) -> [UInt32] {
        peer.index < frames.count ? frames[Int(peer.index)] : []
    }

    /// The peer's frames are on their way or given up.
    mutating func clear(_ peer: PeerID) {
        if peer.index < frames.count {
            frames[Int(peer.index)].removeAll(keepingCapacity: true)
        }
    }

    /// No peer has frames any more.
    mutating func clearPeers() {
        peers.removeAll(keepingCapacity: true)
    }
}
