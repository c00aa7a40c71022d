// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import Glibc
import ZeroMQ

/// Processes that come to a place whose holder has just died: what the dead one had written is read
/// first, and only then do they find the place vacant. After the daemon was stopped for a while, or
/// was busy, both wait for it at once.
extension BrokerShell {
    /// Somebody who waits for others to be buried, and all that it has said meanwhile.
    struct Latecomer {
        let peer: PeerID
        let holders: [PeerID]
        var messages: [[UInt8]]
    }

    /// Whether the message is not taken now, but when the holders of the places that its sender
    /// wants have been buried.
    @inline(__always)
    mutating func keepsForLater(_ message: UnsafeRawBufferPointer, from peer: PeerID) -> Bool {
        guard !latecomers.isEmpty || message.first == Command.attach.rawValue else {
            return false
        }
        return isLate(message, from: peer)
    }

    private mutating func isLate(_ message: UnsafeRawBufferPointer, from peer: PeerID) -> Bool {
        if let place = latecomers.firstIndex(where: { $0.peer == peer }) {
            latecomers[place].messages.append(Array(message))
            return true
        }
        let message = Array(message)
        let holders = dyingHolders(claimedBy: message, from: peer)
        guard !holders.isEmpty else {
            return false
        }
        latecomers.append(Latecomer(peer: peer, holders: holders, messages: [message]))
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

    /// Takes what those have said who wait for nobody any more.
    mutating func takeLatecomers() {
        guard !latecomers.isEmpty else {
            return
        }
        let ending = endingPeers
        let (waiting, ready) = latecomers.reduce(into: ([Latecomer](), [Latecomer]())) {
            if $1.holders.contains(where: { ending.contains($0) }) {
                $0.0.append($1)
            } else {
                $0.1.append($1)
            }
        }
        latecomers = waiting
        for latecomer in ready {
            for message in latecomer.messages {
                if routes.id(of: latecomer.peer) != nil {
                    received(message, from: latecomer.peer)
                }
            }
        }
        flush()
    }

    /// A message that was kept.
    private mutating func received(_ message: [UInt8], from peer: PeerID) {
        do throws(WireError) {
            let header = try Header(parsing: message)
            guard message.count <= broker.messageByteCountMax else {
                handle(.oversized(peer, header, byteCount: message.count))
                return
            }
            var payload: PayloadID?
            if header.travelsOn {
                let slot = store.allocate(byteCount: message.count)
                store.bytes(slot).copyBytes(from: message)
                payload = PayloadID(slot)
            }
            let end = Header.byteCount + Int(header.fieldsLength)
            let fields = header.isReadByBroker ? Array(message[Header.byteCount..<end]) : []
            handle(.received(peer, header, fields: fields, payload: payload))
        } catch {
            handle(.malformed(peer, error))
        }
    }
}
