// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// The backlog: messages that are processed in a later turn than the one that received them. These
/// are the frames of a long ZeroMQ message beyond the first batch, requests of a peer that does not
/// read its answers, requests beyond the time that one turn allows, messages of a user whose last
/// one took long, and everything that the same peer sends after them.
extension BrokerShell {
    /// How long messages of bounded time of all peers together may take in one turn. Events of other
    /// peers wait at most for this time and for the message being processed.
    private static let boundedNanosecondsMax: UInt64 = 1_000_000
    /// Messages of the backlog that are examined in one turn.
    private static let looksPerTurn = 256
    /// Messages of the backlog that are processed in one turn.
    private static let messagesPerTurn = 64

    // MARK: - Keeping

    /// Keeps the message for a later turn; ends the session of a peer whose backlog exceeds a limit.
    mutating func keep(from peer: PeerID) {
        guard let owner = peers.owner(of: peer) else {
            return
        }
        body.keep(by: &transports)
        backlog.append(body, of: peer, owner)
        body = ReceivedPayload()
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

    // MARK: - Processing

    /// Whether a message may be processed now. A message of bounded time needs time left in this turn
    /// and a peer that reads its answers; every message needs a user that does not wait for others.
    func canProcess(_ needs: MessageNeeds, of peer: PeerID) -> Bool {
        if processingTime.isAnyWaiting, let owner = peers.owner(of: peer),
            processingTime.isWaiting(owner)
        {
            return false
        }
        guard needs.contains(.boundedTime) else {
            return true
        }
        return boundedNanoseconds < Self.boundedNanosecondsMax && !isCongested(peer)
    }

    /// Whether the peer has so many unread bytes that its messages of bounded time wait. Bytes sent to a
    /// disconnected peer do not count: its process will not read them.
    private func isCongested(_ peer: PeerID) -> Bool {
        transports.unreadByteCount(of: peer) > unansweredByteCountMax && !peers.isDisconnected(peer)
    }

    /// Unread bytes of a peer up to which its messages of bounded time are processed.
    private var unansweredByteCountMax: Int {
        Int(broker.limits.unreadBytes / 64)
    }

    /// Processes messages of the backlog, taking users in turn. Returns whether more of them can be
    /// processed in the next turn.
    mutating func processBacklog() -> Bool {
        var processedCount = 0
        var lookCount = 0
        var later: [PeerID] = []
        while lookCount < Self.looksPerTurn, processedCount < Self.messagesPerTurn,
            let (peer, payload) = backlog.next()
        {
            lookCount += 1
            let needs = payload.needs
            guard canProcess(needs, of: peer) else {
                later.append(peer)
                continue
            }
            processedCount += 1
            backlog.removeFirst(of: peer)
            body = payload
            process(needs, from: peer)
        }
        for peer in later {
            backlog.postpone(peer)
        }
        return processedCount > 0 && !backlog.isEmpty
    }
}
