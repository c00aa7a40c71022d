// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The queries that are answered again, and which of them are to be answered next: most of them on each
/// change of the bus, those for changes of the tree on each of these, those for activity by the clock.
struct RepeatingQueries: Sendable {
    /// A query and the state of its last answer.
    private struct Repeating {
        let query: Query
        /// Distinguishes it from earlier queries with its request number.
        let number: UInt64
        let cause: Cause
        /// Whether something has changed since the last answer began.
        var isDue = false
        /// Whether an answer is on its way.
        var isBeingAnswered = true
        /// The hash of the last answer, where equal answers are not repeated.
        var answerHash: Int?
        /// The beat that the peer answers once it has read the last answer; `nil` for none.
        var beat: Beat?
        /// The version of the tree, or the number of the reading of counters, of the last answer; `nil` if
        /// the next answer is to be whole.
        var sentVersion: UInt64?
        /// How many answers it has had.
        var answerCount: UInt64 = 0
        /// When it is answered next, if that is by the clock.
        var next = Instant(nanoseconds: 0)

        init(_ query: Query, number: UInt64) {
            self.query = query
            self.number = number
            cause = Cause(query.subject)
        }

        var isReady: Bool {
            !isBeingAnswered && beat == nil
        }
    }

    /// A query that is to be answered now.
    struct Due {
        var peer: PeerID
        var query: Query
        var number: UInt64
    }

    private var queries: [PeerID: [Repeating]] = [:]
    /// The peers with queries, in the order in which they are answered.
    private var peers: [PeerID] = []
    private var schedules = Schedules()
    private var lastNumber: UInt64 = 0

    /// How many peers have queries.
    var peerCount: Int {
        peers.count
    }

    func count(of peer: PeerID) -> Int {
        queries[peer]?.count ?? 0
    }

    /// The most that one peer has.
    var mostOfOnePeer: Int {
        queries.values.map(\.count).max() ?? 0
    }

    func has(_ cause: Cause) -> Bool {
        schedules[cause].count > 0
    }

    // MARK: - Coming and going

    /// Returns the number of the query, which is being answered from now on.
    ///
    /// - Parameter version: The version of what it is answered again for.
    mutating func add(
        _ query: Query, of peer: PeerID, version: UInt64, at now: Instant
    ) -> UInt64 {
        lastNumber += 1
        if queries[peer] == nil {
            peers.append(peer)
        }
        var repeating = Repeating(query, number: lastNumber)
        repeating.next = now.advanced(byMilliseconds: query.intervalMilliseconds)
        if schedules[repeating.cause].count == 0 {
            schedules[repeating.cause].answeredVersion = version
        }
        schedules[repeating.cause].count += 1
        queries[peer, default: []].append(repeating)
        return lastNumber
    }

    mutating func remove(_ request: UInt64, of peer: PeerID) {
        guard let place = queries[peer]?.firstIndex(where: { $0.query.request == request }) else {
            return
        }
        if let removed = queries[peer]?.remove(at: place) {
            schedules[removed.cause].count -= 1
        }
        if queries[peer]?.isEmpty == true {
            remove(of: peer)
        }
    }

    mutating func remove(of peer: PeerID) {
        guard let removed = queries.removeValue(forKey: peer) else {
            return
        }
        peers.removeAll { $0 == peer }
        for repeating in removed {
            schedules[repeating.cause].count -= 1
        }
    }

    func contains(_ number: UInt64, of peer: PeerID) -> Bool {
        place(number, of: peer) != nil
    }

    private func place(_ number: UInt64, of peer: PeerID) -> Int? {
        queries[peer]?.firstIndex { $0.number == number }
    }

    // MARK: - Sent versions

    /// The version of the answer that was sent last; `nil` if the next answer is to be whole.
    func sentVersion(_ number: UInt64, of peer: PeerID) -> UInt64? {
        place(number, of: peer).flatMap { queries[peer]?[$0].sentVersion }
    }

    mutating func recordSent(_ version: UInt64, _ number: UInt64, of peer: PeerID) {
        if let place = place(number, of: peer) {
            queries[peer]?[place].sentVersion = version
        }
    }

    /// Returns the number of the answer that is sent now, from 1.
    mutating func countAnswer(_ number: UInt64, of peer: PeerID) -> UInt64 {
        guard let place = place(number, of: peer) else {
            return 1
        }
        let count = (queries[peer]?[place].answerCount ?? 0) + 1
        queries[peer]?[place].answerCount = count
        return count
    }

    /// Makes the next answers whole, because peers may see other parts of the tree now.
    mutating func forgetSentVersions() {
        for peer in peers {
            for place in queries[peer, default: []].indices {
                queries[peer]?[place].sentVersion = nil
                if queries[peer]?[place].cause == .tree {
                    queries[peer]?[place].isDue = true
                    schedules[.tree].isAnyDue = true
                }
            }
        }
    }

    // MARK: - Answering

    /// Whether any is to be answered again, which is not by the clock. The broker asks after each input.
    @inline(__always)
    func needsAnswers(bus busVersion: UInt64, tree treeVersion: UInt64) -> Bool {
        schedules.bus.needsAnswers(busVersion) || schedules.tree.needsAnswers(treeVersion)
    }

    func needsAnswers(_ cause: Cause, _ version: UInt64) -> Bool {
        schedules[cause].needsAnswers(version)
    }

    /// When those of a cause are answered next.
    func nextAnswers(_ cause: Cause) -> DeadlineQueue.Handle {
        schedules[cause].next
    }

    /// When those of a cause were answered last; `nil` if they never were.
    func lastAnswers(_ cause: Cause) -> Instant? {
        schedules[cause].last
    }

    /// Those of a cause are answered at this deadline.
    mutating func answer(_ cause: Cause, at deadline: DeadlineQueue.Handle) {
        schedules[cause].next = deadline
    }

    /// Returns the queries of a cause that are due after its changes up to this version. A query whose last
    /// answer has not been sent or read waits.
    mutating func takeDue(
        afterChangesOf cause: Cause, _ version: UInt64, at now: Instant
    ) -> [Due] {
        let hasChanged = schedules[cause].answeredVersion != version
        schedules[cause].answeredVersion = version
        schedules[cause].isAnyDue = false
        schedules[cause].last = now
        var due: [Due] = []
        for peer in peers {
            for place in queries[peer, default: []].indices
            where queries[peer]?[place].cause == cause {
                if hasChanged {
                    queries[peer]?[place].isDue = true
                }
                guard let repeating = queries[peer]?[place], repeating.isDue, repeating.isReady
                else {
                    continue
                }
                queries[peer]?[place].isDue = false
                queries[peer]?[place].isBeingAnswered = true
                due.append(Due(peer: peer, query: repeating.query, number: repeating.number))
            }
        }
        return due
    }

    /// Records an answer. Returns whether it is the same as the last one.
    mutating func repeats(_ answer: [UInt8], _ number: UInt64, of peer: PeerID) -> Bool {
        guard let place = place(number, of: peer) else {
            return false
        }
        let hash = answer.hashValue
        defer { queries[peer]?[place].answerHash = hash }
        return queries[peer]?[place].answerHash == hash
    }

    /// Records that an answer or a refusal has been sent. Changes since then are part of the next
    /// answer.
    ///
    /// - Parameter beat: The beat whose answer confirms that the peer has read it; `nil` for none.
    mutating func answered(_ number: UInt64, of peer: PeerID, beat: Beat?) {
        guard let place = place(number, of: peer) else {
            return
        }
        queries[peer]?[place].isBeingAnswered = false
        if let beat {
            queries[peer]?[place].beat = beat
        }
        recordDue(place, of: peer)
    }

    /// The peer has read all that was sent before this beat.
    mutating func read(_ beat: Beat, by peer: PeerID) {
        guard let place = queries[peer]?.firstIndex(where: { $0.beat == beat }) else {
            return
        }
        queries[peer]?[place].beat = nil
        recordDue(place, of: peer)
    }

    private mutating func recordDue(_ place: Int, of peer: PeerID) {
        if let repeating = queries[peer]?[place], repeating.isDue, repeating.beat == nil {
            schedules[repeating.cause].isAnyDue = true
        }
    }

    // MARK: - By the clock

    /// When the first of the queries by the clock is answered next; `nil` without one.
    var nextTime: Instant? {
        guard has(.time) else {
            return nil
        }
        return queries.values.joined().filter { $0.cause == .time }.map(\.next).min()
    }

    /// Returns the queries whose time has come. A query whose last answer has not been sent or read has its
    /// next answer an interval later.
    mutating func takeDue(byClockAt now: Instant) -> [Due] {
        var due: [Due] = []
        for peer in peers {
            for place in queries[peer, default: []].indices {
                guard let repeating = queries[peer]?[place], repeating.cause == .time,
                    repeating.next <= now
                else {
                    continue
                }
                queries[peer]?[place].next = now.advanced(
                    byMilliseconds: repeating.query.intervalMilliseconds)
                if repeating.isReady {
                    queries[peer]?[place].isBeingAnswered = true
                    due.append(Due(peer: peer, query: repeating.query, number: repeating.number))
                }
            }
        }
        return due
    }
}

extension Query {
    /// The time between two answers, if it is answered by the clock.
    fileprivate var intervalMilliseconds: UInt32 {
        guard case .activity(_, let milliseconds) = subject else {
            return 0
        }
        return max(milliseconds, ActivityAnswer.intervalMin)
    }
}
