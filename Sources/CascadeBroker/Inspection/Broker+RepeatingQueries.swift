// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Queries that are answered again, as often as their cost and their reader allow.
extension Broker {
    /// Milliseconds within which changes are combined into one answer.
    private static let answerIntervalMilliseconds: UInt32 = 50
    /// The same for the first changes of the tree after a while, whose answers are small.
    private static let firstChangesMilliseconds: UInt32 = 5
    /// Bytes of an answer above which the peer has to confirm that it has read it before it
    /// receives the next.
    private static let unreadByteCountMax = 4_096

    /// A query takes the place of the repeating one that it shares its request number with.
    mutating func endRepeatingQuery(_ request: UInt64, of peer: PeerID) {
        observers.monitors.remove(request, of: peer, &accounts)
        observers.inquiries.remove(request, of: peer, account: peers[peer].account)
        observers.repeatingQueries.remove(request, of: peer)
        observersLeft()
    }

    mutating func endRepeatingQueries(of peer: PeerID) {
        observers.repeatingQueries.remove(of: peer)
        observers.monitors.remove(of: peer, &accounts)
        observersLeft()
    }

    /// Stops recording what only observers that have left need.
    private mutating func observersLeft() {
        if hierarchy.changes.isFollowed, !observers.repeatingQueries.has(.tree) {
            hierarchy.setFollowed(false)
        }
        if !observers.repeatingQueries.has(.time) {
            observers.activity.forget()
        }
    }

    /// A query refused because its node does not exist may be answered later.
    mutating func repeatAnswers(
        to query: Query, by peer: PeerID
    ) throws(WireError) -> UInt64 {
        try checkRepeating(by: peer)
        let cause = RepeatingQueries.Cause(query.subject)
        if cause == .tree {
            hierarchy.setFollowed(true)
        }
        let number = observers.repeatingQueries.add(
            query, of: peer, version: version(cause), at: now)
        if cause == .time {
            scheduleAnswersByClock()
        }
        return number
    }

    /// Grows with each change that an answer may show.
    private func version(_ cause: RepeatingQueries.Cause) -> UInt64 {
        switch cause {
        case .bus: busVersion
        case .tree: hierarchy.changes.version
        case .time: 0
        }
    }

    @inline(__always)
    private var busVersion: UInt64 {
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

    // MARK: - Scheduling

    @inline(__always)
    mutating func scheduleAnswersIfNeeded() {
        if observers.repeatingQueries.needsAnswers(
            bus: busVersion, tree: hierarchy.changes.version)
        {
            scheduleAnswers()
        }
    }

    private mutating func scheduleAnswers() {
        if needsSchedule(.bus) {
            schedule(
                .bus, at: now.advanced(byMilliseconds: Self.answerIntervalMilliseconds), .answers)
        }
        if needsSchedule(.tree) {
            let first = now.advanced(byMilliseconds: Self.firstChangesMilliseconds)
            let next = observers.repeatingQueries.lastAnswers(.tree)
                .map { $0.advanced(byMilliseconds: Self.answerIntervalMilliseconds) }
            schedule(.tree, at: max(first, next ?? first), .treeChanges)
        }
    }

    private func needsSchedule(_ cause: RepeatingQueries.Cause) -> Bool {
        observers.repeatingQueries.needsAnswers(cause, version(cause))
            && !deadlines.contains(observers.repeatingQueries.nextAnswers(cause))
    }

    private mutating func schedule(
        _ cause: RepeatingQueries.Cause, at instant: Instant, _ owner: DeadlineQueue.Owner
    ) {
        observers.repeatingQueries.answer(cause, at: deadlines.insert(instant, owner))
    }

    private mutating func scheduleAnswersByClock() {
        deadlines.remove(observers.repeatingQueries.nextAnswers(.time))
        if let next = observers.repeatingQueries.nextTime {
            schedule(.time, at: next, .answersByClock)
        }
    }

    // MARK: - Answering

    mutating func answerRepeatingQueries(_ cause: RepeatingQueries.Cause) {
        answer(
            observers.repeatingQueries.takeDue(
                afterChangesOf: cause, version(cause), at: now))
    }

    mutating func answerQueriesByClock() {
        let due = observers.repeatingQueries.takeDue(byClockAt: now)
        scheduleAnswersByClock()
        answer(due)
    }

    private mutating func answer(_ due: [RepeatingQueries.Due]) {
        for query in due {
            var inquiry = Inquiry(
                query.query, by: query.peer, account: peers[query.peer].account,
                repetition: query.number, isRepetition: true)
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
