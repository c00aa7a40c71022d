// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Queries that are answered again on each change, as often as their cost and their reader allow.
extension Broker {
    /// Milliseconds within which changes are combined into one answer.
    private static let answerIntervalMilliseconds: UInt32 = 50
    /// Bytes of an answer above which the peer has to confirm that it has read it before it
    /// receives the next.
    private static let unreadByteCountMax = 4_096

    /// A query takes the place of the repeating one that it shares its request number with.
    mutating func endRepeatingQuery(_ request: UInt64, of peer: PeerID) {
        observers.monitors.remove(request, of: peer, &accounts)
        observers.inquiries.remove(request, of: peer, account: peers[peer].account)
        observers.repeatingQueries.remove(request, of: peer)
    }

    /// A query refused because its node does not exist may be answered later.
    mutating func repeatAnswers(
        to query: Query, by peer: PeerID
    ) throws(WireError) -> UInt64 {
        try checkRepeating(by: peer)
        return observers.repeatingQueries.add(query, of: peer, version: version)
    }

    /// Grows with each change that an answer may show.
    private var version: UInt64 {
        hierarchy.version + environment.version
    }

    /// Throws if the session has as many repeating queries and monitors as it may.
    func checkRepeating(by peer: PeerID) throws(WireError) {
        let limit = configuration.limits.repeatingQueries
        guard
            observers.repeatingQueries.count(of: peer) + observers.monitors.count(of: peer) < limit
        else {
            throw WireError(
                .limitReached, "more than \(limit) repeating queries (limit repeatingQueries)")
        }
    }

    mutating func scheduleAnswers() {
        guard !deadlines.contains(observers.repeatingQueries.nextAnswers),
            observers.repeatingQueries.needsAnswers(version)
        else {
            return
        }
        observers.repeatingQueries.answer(
            at: deadlines.insert(
                now.advanced(byMilliseconds: Self.answerIntervalMilliseconds), .answers))
    }

    mutating func answerRepeatingQueries() {
        for (peer, query, number) in observers.repeatingQueries.takeDue(version) {
            var inquiry = Inquiry(
                query, by: peer, account: peers[peer].account, repetition: number,
                isRepetition: true)
            if observers.inquiries.mayBegin(inquiry.lane, at: now) {
                advance(&inquiry)
            } else {
                observers.inquiries.append(inquiry, at: now)
            }
        }
    }

    /// Whether the query that is to be answered is still one of its session's.
    func isWanted(_ inquiry: Inquiry) -> Bool {
        guard peers.isGreeted(inquiry.peer) else {
            return false
        }
        guard let repetition = inquiry.repetition else {
            return true
        }
        return observers.repeatingQueries.contains(repetition, of: inquiry.peer)
    }

    /// An answer to a repeating query has been sent, or a refusal.
    mutating func repeated(_ inquiry: Inquiry, byteCount: Int) {
        guard let repetition = inquiry.repetition,
            observers.repeatingQueries.contains(repetition, of: inquiry.peer)
        else {
            return
        }
        var beat: Beat?
        if byteCount > Self.unreadByteCountMax {
            let next = peers.nextBeat()
            turn.effects.append(.send(Header(.beat, id: next.id), to: inquiry.peer))
            beat = next
        }
        observers.repeatingQueries.answered(repetition, of: inquiry.peer, beat: beat)
    }
}
