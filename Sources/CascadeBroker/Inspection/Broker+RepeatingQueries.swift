// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Queries that are answered again on each change, as often as their cost and their reader allow.
extension Broker {
    /// Changes that follow one another closely are told together.
    private static let answerIntervalMilliseconds: UInt32 = 50
    /// Of a longer answer the peer has to say that it has read it before it gets the next.
    private static let unreadByteCountMax = 4_096

    /// A query takes the place of the repeating one that it shares its request number with.
    mutating func endRepeatingQuery(_ request: UInt64, of peer: PeerID) {
        if !monitors.isEmpty {
            monitors.removeAll { $0.peer == peer && $0.request == request }
        }
        inquiries.remove(request, of: peer, account: peers[peer].account)
        guard peers[peer].repeatingQueries.contains(where: { $0.query.request == request }) else {
            return
        }
        peers[peer].repeatingQueries.removeAll { $0.query.request == request }
        if peers[peer].repeatingQueries.isEmpty {
            watchers.removeAll { $0 == peer }
        }
    }

    /// A query that is refused now, for there is no such node, may be answered later.
    mutating func repeatAnswers(
        to query: Query, by peer: PeerID
    ) throws(WireError) -> UInt64 {
        let count = peers[peer].repeatingQueries.count + monitors.count { $0.peer == peer }
        try checkRepeating(count)
        lastRepeatingQuery += 1
        peers[peer].repeatingQueries.append(
            RepeatingQuery(query: query, number: lastRepeatingQuery, isBeingAnswered: true))
        if watchers.isEmpty {
            answeredVersion = hierarchy.version + environment.version
        }
        if !watchers.contains(peer) {
            watchers.append(peer)
        }
        return lastRepeatingQuery
    }

    /// Throws if one more would be one too many.
    func checkRepeating(_ count: Int) throws(WireError) {
        let limit = configuration.limits.repeatingQueries
        guard count < limit else {
            throw WireError(
                .limitReached, "more than \(limit) repeating queries (limit repeatingQueries)")
        }
    }

    mutating func scheduleAnswers() {
        guard !watchers.isEmpty, answersHandle == DeadlineQueue.none,
            hasDueAnswers || answeredVersion != hierarchy.version + environment.version
        else {
            return
        }
        answersHandle = deadlines.insert(
            now.advanced(byMilliseconds: Self.answerIntervalMilliseconds), .answers)
    }

    mutating func answerRepeatingQueries() {
        answersHandle = DeadlineQueue.none
        let hasChanged = answeredVersion != hierarchy.version + environment.version
        answeredVersion = hierarchy.version + environment.version
        hasDueAnswers = false
        for peer in watchers {
            for place in peers[peer].repeatingQueries.indices {
                if hasChanged {
                    peers[peer].repeatingQueries[place].isDue = true
                }
                repeatAnswer(place, to: peer)
            }
        }
    }

    /// Answers again, unless the last answer has not been given or read.
    private mutating func repeatAnswer(_ place: Int, to peer: PeerID) {
        let repeating = peers[peer].repeatingQueries[place]
        guard repeating.isDue, !repeating.isBeingAnswered, repeating.beat == 0 else {
            return
        }
        peers[peer].repeatingQueries[place].isDue = false
        peers[peer].repeatingQueries[place].isBeingAnswered = true
        var inquiry = Inquiry(
            repeating.query, by: peer, account: peers[peer].account,
            repetition: repeating.number, isRepetition: true)
        if inquiries.mayBegin(inquiry.lane, at: now) {
            advance(&inquiry)
        } else {
            inquiries.append(inquiry, at: now)
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
        return peers[inquiry.peer].repeatingQueries.contains { $0.number == repetition }
    }

    /// An answer to a repeating query has been sent, or a refusal.
    mutating func repeated(_ inquiry: Inquiry, byteCount: Int) {
        let peer = inquiry.peer
        guard let repetition = inquiry.repetition,
            let place = peers[peer].repeatingQueries.firstIndex(where: { $0.number == repetition })
        else {
            return
        }
        peers[peer].repeatingQueries[place].isBeingAnswered = false
        if byteCount > Self.unreadByteCountMax {
            lastMonitorBeat += 1
            let beat = Self.monitorMark | lastMonitorBeat
            peers[peer].repeatingQueries[place].beat = beat
            effects.append(.send(Header(.beat, id: beat), to: peer))
        }
        // What has changed meanwhile is told at the next opportunity.
        if peers[peer].repeatingQueries[place].isDue,
            peers[peer].repeatingQueries[place].beat == 0
        {
            hasDueAnswers = true
        }
    }

    /// The peer has read all that was sent before this beat.
    mutating func repetitionRead(_ beat: UInt64, by peer: PeerID) {
        let place = peers[peer].repeatingQueries.firstIndex { $0.beat == beat && beat != 0 }
        guard let place else {
            return
        }
        peers[peer].repeatingQueries[place].beat = 0
        if peers[peer].repeatingQueries[place].isDue {
            hasDueAnswers = true
        }
    }
}
