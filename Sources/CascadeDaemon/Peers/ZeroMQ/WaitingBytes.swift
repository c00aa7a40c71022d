// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import ZeroMQ

/// Bytes that peers have yet to read: of each peer, of each user, of all peers.
struct WaitingBytes {
    private struct Peer {
        var generation: UInt32
        var owner: Owner
        /// Bytes that the peer has yet to read, in memory of the daemon or of libzmq.
        let unread: ByteCounter
    }

    private struct User {
        let bytes: ByteCounter
        var peers: Set<PeerID> = []
        /// Counters of peers that were given up: libzmq frees their bytes a moment later.
        var abandoned: [ByteCounter] = []
    }

    let total = ByteCounter()
    private var users: [Owner: User] = [:]
    /// The users without peers whose bytes are yet to be freed.
    private var departed: Set<Owner> = []
    private var peers: [Peer?] = []

    // MARK: - Peers

    mutating func insert(_ peer: PeerID, of owner: Owner) {
        removeDeparted()
        let user = users[owner] ?? User(bytes: ByteCounter(in: total))
        users[owner] = user
        users[owner]?.peers.insert(peer)
        while peers.count <= peer.index {
            peers.append(nil)
        }
        peers[Int(peer.index)] = Peer(
            generation: peer.generation, owner: owner, unread: ByteCounter(in: user.bytes))
    }

    mutating func remove(_ peer: PeerID) {
        guard let entry = self[peer] else {
            return
        }
        peers[Int(peer.index)] = nil
        users[entry.owner]?.peers.remove(peer)
        users[entry.owner]?.abandoned.removeAll { $0.byteCount == 0 }
        if entry.unread.byteCount > 0 {
            users[entry.owner]?.abandoned.append(entry.unread)
        }
        departed.insert(entry.owner)
        removeDeparted()
    }

    /// Removes the users whose peers have gone and whose bytes libzmq has freed since.
    private mutating func removeDeparted() {
        for owner in departed {
            if let user = users[owner], user.peers.isEmpty, user.bytes.byteCount > 0 {
                continue
            }
            if users[owner]?.peers.isEmpty ?? false {
                users[owner] = nil
            }
            departed.remove(owner)
        }
    }

    /// How many users have peers, or bytes that are yet to be freed.
    var userCount: Int {
        users.count
    }

    private subscript(peer: PeerID) -> Peer? {
        guard peer.index < peers.count, let entry = peers[Int(peer.index)],
            entry.generation == peer.generation
        else {
            return nil
        }
        return entry
    }

    // MARK: - Counting

    /// The counter of bytes that a peer has yet to read; `nil` if the peer was removed.
    func unread(of peer: PeerID) -> ByteCounter? {
        self[peer]?.unread
    }

    // MARK: - Comparing with limits

    /// The bytes of a user, without those about to be freed.
    func byteCount(of owner: Owner) -> Int {
        users[owner].map { Self.byteCount(of: $0) } ?? 0
    }

    /// The bytes of all peers, without those about to be freed.
    var byteCount: Int {
        total.byteCount == 0 ? 0 : users.values.reduce(0) { $0 + Self.byteCount(of: $1) }
    }

    private static func byteCount(of user: User) -> Int {
        user.bytes.byteCount - user.abandoned.reduce(0) { $0 + $1.byteCount }
    }
}
