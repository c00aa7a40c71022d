// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// The connected peers, their owners, and the peers of each user.
struct PeerRegistry {
    private struct Entry {
        var generation: UInt32
        var owner: Owner
        var key: AdmittedKey?
        var isDisconnected = false
    }

    private var entries: [Entry?] = []
    private var peersByOwner: [Owner: Set<PeerID>] = [:]

    mutating func insert(_ peer: PeerID, of owner: Owner, key: AdmittedKey?) {
        while entries.count <= peer.index {
            entries.append(nil)
        }
        entries[Int(peer.index)] = Entry(generation: peer.generation, owner: owner, key: key)
        peersByOwner[owner, default: []].insert(peer)
    }

    mutating func remove(_ peer: PeerID) {
        guard let owner = owner(of: peer) else {
            return
        }
        entries[Int(peer.index)] = nil
        peersByOwner[owner]?.remove(peer)
        if peersByOwner[owner]?.isEmpty ?? false {
            peersByOwner[owner] = nil
        }
    }

    @inline(__always)
    func contains(_ peer: PeerID) -> Bool {
        peer.index < entries.count && entries[Int(peer.index)]?.generation == peer.generation
    }

    /// Records that the peer's connection has ended. Returns `false` if that was recorded before.
    mutating func markDisconnected(_ peer: PeerID) -> Bool {
        guard contains(peer), !isDisconnected(peer) else {
            return false
        }
        entries[Int(peer.index)]?.isDisconnected = true
        return true
    }

    /// Whether the peer's connection has ended, and its session or its last messages remain.
    func isDisconnected(_ peer: PeerID) -> Bool {
        contains(peer) && entries[Int(peer.index)]?.isDisconnected ?? false
    }

    /// The owner of a peer; `nil` if the peer was removed.
    func owner(of peer: PeerID) -> Owner? {
        contains(peer) ? entries[Int(peer.index)]?.owner : nil
    }

    /// How many users have peers.
    var ownerCount: Int {
        peersByOwner.count
    }

    func peers(of owner: Owner) -> Set<PeerID> {
        peersByOwner[owner] ?? []
    }

    var all: [PeerID] {
        peersByOwner.values.flatMap(\.self)
    }

    /// The peers that have proved to have a key, and the keys.
    var keys: [(peer: PeerID, key: AdmittedKey)] {
        all.compactMap { peer in entries[Int(peer.index)]?.key.map { (peer, $0) } }
    }
}
