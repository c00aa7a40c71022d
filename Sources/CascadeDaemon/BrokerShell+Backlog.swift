// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import DequeModule
import ZeroMQ

/// Messages that are not processed in the turn that received them: what is behind the first frames
/// of a long ZeroMQ message, requests of a peer that does not read its answers, requests beyond the
/// time that they may take in one turn, and all that the same peer sent after them.
extension BrokerShell {
    /// How long requests may take in one turn, of all peers together: events of others wait no
    /// longer than for that, and for the request that is being processed.
    private static let requestNanosecondsMax: UInt64 = 1_000_000
    /// Messages looked at in one turn, and how many of them may be processed.
    private static let looksPerTurn = 256
    private static let messagesPerTurn = 64

    // MARK: - Keeping

    /// Keeps a message for a later turn, or ends the session of a peer that has too many.
    mutating func keep(_ slot: UInt32, byteCount: Int, of peer: PeerID) {
        guard let owner = outbox.waiting.owner(of: peer) else {
            store.release(slot)
            return
        }
        backlog.append(slot, byteCount: byteCount, of: peer, owner)
        outbox.waiting.bytes(ofUserOf: peer)?.add(byteCount)
        let limits = broker.limits
        guard backlog.count(of: peer) <= limits.waitingMessages,
            backlog.byteCount(of: peer) <= limits.unreadBytes
        else {
            let sentence =
                "\(backlog.count(of: peer)) messages of \(backlog.byteCount(of: peer)) bytes wait "
                + "to be processed, because answers are not read or requests come too fast (limits "
                + "waitingMessages and unreadBytes)"
            handle(.malformed(peer, WireError(.notReading, sentence)))
            return
        }
        boundWaiting(behind: peer)
    }

    /// Gives up what waits of a peer that has gone.
    mutating func dropBacklog(of peer: PeerID) {
        outbox.waiting.bytes(ofUserOf: peer)?.add(-backlog.byteCount(of: peer))
        for slot in backlog.removeAll(of: peer) {
            store.release(slot)
        }
    }

    // MARK: - Processing

    /// Whether a message may be processed now: what is no request always, a request while there
    /// is time for it and the peer reads its answers.
    func canProcess(_ command: Command?, of peer: PeerID) -> Bool {
        guard let command, command.isRequest else {
            return true
        }
        return requestNanoseconds < Self.requestNanosecondsMax && !isCongested(peer)
    }

    /// Whether the peer has so much to read that its requests are not answered for now. What
    /// was sent to a process that has ended is read by none.
    private func isCongested(_ peer: PeerID) -> Bool {
        outbox.unreadByteCount(of: peer) > unansweredByteCountMax && !isUnreachable(peer)
    }

    /// Unread bytes of a peer up to which its requests are answered.
    private var unansweredByteCountMax: Int {
        Int(broker.limits.unreadBytes / 64)
    }

    /// Processes messages that were kept, of all users in turn. Returns whether there is more that
    /// could be processed in the next turn.
    mutating func processBacklog() -> Bool {
        var processedCount = 0
        var lookCount = 0
        var postponed: [PeerID] = []
        while lookCount < Self.looksPerTurn, processedCount < Self.messagesPerTurn,
            let (peer, slot) = backlog.next()
        {
            lookCount += 1
            let bytes = UnsafeRawBufferPointer(store.bytes(slot))
            let command = bytes.first.flatMap { Command(rawValue: $0) }
            let isWaiting = latecomers.contains { $0.peer == peer }
            guard !isWaiting, canProcess(command, of: peer), !isLate(bytes, command, peer) else {
                postponed.append(peer)
                continue
            }
            processedCount += 1
            process(
                slot, byteCount: bytes.count, isRequest: command?.isRequest == true, of: peer)
        }
        for peer in postponed {
            backlog.postpone(peer)
        }
        return processedCount > 0 && !backlog.isEmpty
    }

    private mutating func process(
        _ slot: UInt32, byteCount: Int, isRequest: Bool, of peer: PeerID
    ) {
        backlog.removeFirst(of: peer, byteCount: byteCount)
        outbox.waiting.bytes(ofUserOf: peer)?.add(-byteCount)
        store.move(slot, to: &body.message)
        body.refill()
        let start = MonotonicClock.now()
        received(from: peer)
        if isRequest {
            requestNanoseconds += MonotonicClock.now() - start
        }
    }
}
