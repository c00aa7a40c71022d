// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// The broker's effects: the transports collect what is sent, and write it at the end of a turn.
extension BrokerShell {
    private static var noContent: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nil, count: 0)
    }

    mutating func send(_ header: Header, to peer: PeerID) {
        transports.send(header, Self.noContent, to: peer)
    }

    mutating func send(_ message: [UInt8], to peer: PeerID) {
        transports.send(message, to: peer)
    }

    mutating func forward(_ forwarded: Forward) {
        if let itinerary = forwarded.itinerary {
            transports.send(itinerary.encoded(), to: forwarded.peer)
        }
        send(forwarded.payload, under: forwarded.header, to: forwarded.peer)
    }

    mutating func broadcast(_ broadcast: Broadcast) {
        for peer in broadcast.peers {
            send(broadcast.payload, under: broadcast.header, to: peer)
        }
    }

    mutating func disconnect(_ peer: PeerID) {
        transports.close(peer, at: now)
        forget(peer)
    }

    mutating func persist(_ entry: JournalEntry) {
        unsubmitted.append(entry)
    }

    mutating func log(_ entry: LogEntry) {
        updateStatus(after: entry)
        log.write(entry, at: now)
    }

    private mutating func send(_ payload: Payload, under header: Header, to peer: PeerID) {
        if payload.count >= ReceivedPayload.sharedByteCountMin,
            let received = payload as? ReceivedPayload
        {
            received.keep(by: &transports)
            if let shared = received.shared {
                transports.send(header, behindHeaderOf: shared, to: peer)
                return
            }
        }
        transports.send(header, payload.content, to: peer)
    }

    /// Ends a turn. The broker's decisions are stored before a peer learns of them.
    mutating func flush() {
        storeHandover()
        transports.flush(at: now)
        if transports.unreadByteCount > 0 {
            for peer in transports.blockedPeers {
                boundWaiting(behind: peer)
            }
        }
        submitToJournal()
    }
}
