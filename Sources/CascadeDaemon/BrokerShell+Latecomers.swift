// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import Glibc
import ZeroMQ

/// Processes that come to a place whose holder has just died: what the dead one had written is read
/// first, and only then do they find the place vacant. After the daemon was stopped for a while, or
/// was busy, both wait for it at once.
extension BrokerShell {
    /// A peer that waits until others have been removed. What it says meanwhile is in the backlog.
    struct Latecomer {
        let peer: PeerID
        let holders: [PeerID]
    }

    /// Whether the message is not taken now, but when the holders of the places that its sender
    /// wants have been removed.
    mutating func isLate(
        _ message: UnsafeRawBufferPointer, _ command: Command?, _ peer: PeerID
    ) -> Bool {
        guard command == .attach else {
            return false
        }
        let dying = dyingHolders(claimedBy: Array(message), from: peer)
        guard !dying.isEmpty else {
            return false
        }
        // Peers that waited for each other would never be removed.
        let waiting = latecomers.peers(waitingFor: peer)
        let holders = dying.filter { !waiting.contains($0) }
        guard !holders.isEmpty else {
            return false
        }
        latecomers.append(Latecomer(peer: peer, holders: holders))
        return true
    }

    private mutating func dyingHolders(claimedBy message: [UInt8], from peer: PeerID) -> [PeerID] {
        let holders = broker.holders(claimedBy: message).filter { $0.peer != peer }
        guard !holders.isEmpty else {
            return []
        }
        noteEndedProcesses()
        for holder in holders {
            if hasEndedUnwatched(holder.peer, holder.processID) {
                noteEnd(of: holder.peer)
            }
        }
        let ending = endingPeers
        return holders.map(\.peer).filter { ending.contains($0) }
    }

    /// Whether it was gone before it could be watched.
    private func hasEndedUnwatched(_ peer: PeerID, _ processID: UInt32) -> Bool {
        processID > 0 && processes.processID(of: peer) == nil && !endingPeers.contains(peer)
            && kill(pid_t(processID), 0) != 0 && errno == ESRCH
    }

    /// Lets those go on who wait for no peer any more. Returns whether there are any.
    mutating func releaseLatecomers() -> Bool {
        guard !latecomers.isEmpty else {
            return false
        }
        let ending = endingPeers
        let before = latecomers.count
        latecomers.removeAll { latecomer in
            !latecomer.holders.contains { ending.contains($0) }
        }
        return latecomers.count < before
    }
}

extension [BrokerShell.Latecomer] {
    /// The peers that wait until a peer has been removed, directly or behind others.
    func peers(waitingFor peer: PeerID) -> Set<PeerID> {
        var waiting: Set<PeerID> = []
        var unseen = [peer]
        while let next = unseen.popLast() {
            for latecomer in self where latecomer.holders.contains(next) {
                if waiting.insert(latecomer.peer).inserted {
                    unseen.append(latecomer.peer)
                }
            }
        }
        return waiting
    }
}
