// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import Glibc
import ZeroMQ

/// Attachments to a place whose holder's process has exited: the messages that the holder had
/// written are read and the holder is reaped before the new peer's attachment is processed. Both
/// can be pending in one turn after the daemon was stopped or busy for a while.
extension BrokerShell {
    /// A peer whose attachment waits until `holders` have been reaped. Its messages are in the
    /// backlog.
    struct DeferredAttach {
        let peer: PeerID
        let holders: [PeerID]
    }

    /// Whether an attachment is deferred because a process that holds one of its places has exited;
    /// if so, records that.
    mutating func defersAttach(
        _ message: UnsafeRawBufferPointer, _ command: Command?, _ peer: PeerID
    ) -> Bool {
        guard command == .attach else {
            return false
        }
        // An attach may be long: it is read here only if any process can have exited.
        detectExits()
        guard !self.exited.isEmpty || processes.count < routes.count else {
            return false
        }
        let exited = exitedHolders(claimedBy: Array(message), from: peer)
        guard !exited.isEmpty else {
            return false
        }
        // Peers that waited for each other would never be reaped.
        let waiting = deferredAttaches.peers(waitingFor: peer)
        let holders = exited.filter { !waiting.contains($0) }
        guard !holders.isEmpty else {
            return false
        }
        deferredAttaches.append(DeferredAttach(peer: peer, holders: holders))
        return true
    }

    private mutating func exitedHolders(claimedBy message: [UInt8], from peer: PeerID) -> [PeerID] {
        let holders = broker.holders(claimedBy: message).filter { $0.peer != peer }
        guard !holders.isEmpty else {
            return []
        }
        for holder in holders {
            if hasEndedUnwatched(holder.peer, holder.processID) {
                markExited(holder.peer)
            }
        }
        let exited = exitedPeers
        return holders.map(\.peer).filter { exited.contains($0) }
    }

    /// Whether the process exited before the daemon could watch it.
    private func hasEndedUnwatched(_ peer: PeerID, _ processID: UInt32) -> Bool {
        processID > 0 && processes.processID(of: peer) == nil && !exitedPeers.contains(peer)
            && kill(pid_t(processID), 0) != 0 && errno == ESRCH
    }

    /// Removes the entries that wait for no peer any more. Returns whether any was removed.
    mutating func releaseDeferredAttaches() -> Bool {
        guard !deferredAttaches.isEmpty else {
            return false
        }
        let exited = exitedPeers
        let before = deferredAttaches.count
        deferredAttaches.removeAll { deferred in
            !deferred.holders.contains { exited.contains($0) }
        }
        return deferredAttaches.count < before
    }
}

extension [BrokerShell.DeferredAttach] {
    /// The peers that wait until a peer has been reaped, directly or behind others.
    func peers(waitingFor peer: PeerID) -> Set<PeerID> {
        var waiting: Set<PeerID> = []
        var unseen = [peer]
        while let next = unseen.popLast() {
            for deferred in self where deferred.holders.contains(next) {
                if waiting.insert(deferred.peer).inserted {
                    unseen.append(deferred.peer)
                }
            }
        }
        return waiting
    }
}
