// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The places of processes that have exited. Messages that such a process had written are handled
/// before another session gets its places, so that session waits.
extension Broker {
    /// Records that the peer's process has exited. Its remaining messages precede
    /// ``Input/gone(_:)``.
    mutating func exited(_ peer: PeerID) {
        if peers.contains(peer) {
            peers.exits.recordExit(of: peer)
        }
    }

    /// Whether the session has to wait before it attaches, because sessions of exited processes
    /// hold some of these places. The shell then keeps its message.
    mutating func postpones(_ attach: Attach, of peer: PeerID) -> Bool {
        guard peers.exits.hasAny else {
            return false
        }
        let holders = attach.nodes.compactMap { declaration in
            hierarchy.find(declaration.path).flatMap { hierarchy[$0].holder }
        }
        guard peers.exits.wait(peer, for: holders) else {
            return false
        }
        turn.effects.append(.postpone(peer))
        return true
    }

    /// The peer has gone: those that waited for nothing else go on.
    mutating func resumeWaiting(for peer: PeerID) {
        for resumed in peers.exits.remove(peer) {
            turn.effects.append(.resume(resumed))
        }
    }
}

/// The peers whose processes have exited and whose messages are still arriving, and the peers that
/// wait for their places.
struct Exits: Sendable {
    private struct Waiting {
        let peer: PeerID
        var holders: [PeerID]
    }

    private var exited: Set<PeerID> = []
    private var waiting: [Waiting] = []

    var hasAny: Bool {
        !exited.isEmpty
    }

    mutating func recordExit(of peer: PeerID) {
        exited.insert(peer)
    }

    /// The peer waits for those of the holders that have exited. Returns whether there are any. A
    /// holder that waits for the peer itself does not count: neither would ever go on.
    mutating func wait(_ peer: PeerID, for holders: [PeerID]) -> Bool {
        let behind = peersBehind(peer)
        let holders = Set(holders).filter {
            $0 != peer && exited.contains($0) && !behind.contains($0)
        }
        guard !holders.isEmpty else {
            return false
        }
        waiting.append(Waiting(peer: peer, holders: Array(holders)))
        return true
    }

    /// The peers that wait until a peer has gone, directly or behind others.
    private func peersBehind(_ peer: PeerID) -> Set<PeerID> {
        var behind: Set<PeerID> = []
        var unseen = [peer]
        while let next = unseen.popLast() {
            for entry in waiting where entry.holders.contains(next) {
                if behind.insert(entry.peer).inserted {
                    unseen.append(entry.peer)
                }
            }
        }
        return behind
    }

    /// Removes a peer that has gone. Returns the peers that waited for no other one.
    mutating func remove(_ peer: PeerID) -> [PeerID] {
        guard exited.remove(peer) != nil || !waiting.isEmpty else {
            return []
        }
        waiting.removeAll { $0.peer == peer }
        for index in waiting.indices {
            waiting[index].holders.removeAll { $0 == peer }
        }
        let resumed = waiting.filter(\.holders.isEmpty).map(\.peer)
        waiting.removeAll(where: \.holders.isEmpty)
        return resumed
    }
}
