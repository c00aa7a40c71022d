// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Sequence numbers of sessions' messages: none is skipped, and none is raised twice.
extension Broker {
    /// Checks and records the number of a trigger or publication, and takes its credit. Returns
    /// whether the message is to be raised: one that is sent again may be under way or have ended.
    @inline(__always)
    mutating func takeCredit(_ header: Header, of peer: PeerID) throws(WireError) -> Bool {
        if !header.flags.contains(.sentAgain),
            peers[peer].takeNext(
                header.sequence, confirming: header.id, creditLimit: configuration.limits.credit)
        {
            return true
        }
        return try takeUnusual(header, of: peer)
    }

    /// The same for a message that is not the next of its session, or that is sent again, or that
    /// confirms outcomes with payloads.
    private mutating func takeUnusual(
        _ header: Header, of peer: PeerID
    ) throws(WireError) -> Bool {
        if header.flags.contains(.sentAgain) {
            guard try isToBeRaised(header, of: peer) else {
                return false
            }
        } else {
            try checkNumber(header.sequence, of: peer)
            confirmReceived(header.id, by: peer)
        }
        guard peers[peer].creditUsed < configuration.limits.credit else {
            throw WireError(
                .creditExceeded,
                "more than \(configuration.limits.credit) triggers and publications under way")
        }
        peers[peer].takeCredit()
        return true
    }

    /// The session has got so many outcomes on its connection: they need not be kept.
    mutating func confirmReceived(_ count: UInt64, by peer: PeerID) {
        for payload in peers[peer].confirmReceived(count) {
            release(payload)
        }
    }

    // MARK: - New messages

    private mutating func checkNumber(
        _ sequence: UInt64, of peer: PeerID
    ) throws(WireError) {
        let last = peers[peer].memory.lastSequence
        guard sequence > last else {
            throw WireError(
                "event \(sequence) came after event \(last) of the same session")
        }
        if !peers[peer].memory.hasRaised {
            // Before it there may have been some without an awaited outcome.
            for payload in peers[peer].beginRaising() {
                release(payload)
            }
        } else if sequence - last > 1 {
            throw gap(from: last, to: sequence)
        }
        peers[peer].recordSequence(sequence)
    }

    /// Each that is missing has taken a credit, so there cannot be more than there is credit.
    private func gap(from last: UInt64, to sequence: UInt64) -> WireError {
        guard sequence - last <= UInt64(configuration.limits.credit) else {
            return WireError(
                "event \(sequence) is too far ahead of event \(last), the session's last")
        }
        return WireError(
            .messageLost, "event \(sequence) came right after event \(last) of the same session")
    }

    // MARK: - Messages sent again

    /// Whether this was never raised, as far as is known. Otherwise its one outcome comes, or comes
    /// again.
    private mutating func isToBeRaised(
        _ header: Header, of peer: PeerID
    ) throws(WireError) -> Bool {
        let sequence = header.sequence
        guard sequence > 0 else {
            throw WireError("an event has the number 0")
        }
        if header.flags.contains(.durable), isKept(header, of: peer) {
            return false
        }
        if let (entry, more) = peers[peer].takeOutcome(sequence) {
            sendAgain(entry, more, to: peer)
            return false
        }
        guard !peers[peer].memory.underWay.contains(sequence) else {
            return false
        }
        guard !peers[peer].memory.hasRaised else {
            throw WireError(
                "event \(sequence) was sent again behind event "
                    + "\(peers[peer].memory.lastSequence), which was new")
        }
        peers[peer].recordPending(sequence)
        peers[peer].recordSequence(sequence)
        return true
    }

    private mutating func sendAgain(
        _ entry: UnconfirmedOutcomes.Entry, _ more: UnconfirmedOutcomes.More?, to peer: PeerID
    ) {
        var entry = entry
        if entry.node != NodeIndex.none,
            !hierarchy.contains(entry.node)
        {
            entry.node = NodeIndex.none
        }
        introduce(to: peer, node: entry.node)
        switch more {
        case nil:
            turn.effects.append(.send(entry.header, to: peer))
        case .message(var message)?:
            if var header = try? Header(parsing: message) {
                header.node = entry.node.number
                message.withUnsafeMutableBytes { header.write(into: $0) }
            }
            turn.effects.append(.sendMessage(message, to: peer))
        case .reply(var header, let payload)?:
            header.node = entry.node.number
            forward(payload, header, to: peer)
        }
        keep(entry, more, to: peer)
    }
}
