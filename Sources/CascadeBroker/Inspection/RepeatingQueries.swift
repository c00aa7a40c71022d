// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The queries that are answered again on each change, and which of them are to be answered next.
struct RepeatingQueries: Sendable {
    /// A query and the state of its last answer.
    private struct Repeating {
        let query: Query
        /// Distinguishes it from earlier queries with its request number.
        let number: UInt64
        /// Whether something has changed since the last answer began.
        var isDue = false
        /// Whether an answer is on its way.
        var isBeingAnswered = false
        /// The hash of the last answer, where equal answers are not repeated.
        var answerHash: Int?
        /// The beat that the peer answers once it has read the last answer; `nil` for none.
        var beat: Beat?
    }

    private var queries: [PeerID: [Repeating]] = [:]
    /// The peers with queries, in the order in which they are answered.
    private var peers: [PeerID] = []
    /// The version of the bus that answers were begun with last.
    private var answeredVersion: UInt64 = 0
    /// Whether a query waits for its next answer although nothing has changed since.
    private var isAnyDue = false
    private var lastNumber: UInt64 = 0
    /// When they are answered next.
    private(set) var nextAnswers = DeadlineQueue.none

    var isEmpty: Bool {
        peers.isEmpty
    }

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

    // MARK: - Coming and going

    /// Returns the number of the query, which is being answered from now on.
    mutating func add(_ query: Query, of peer: PeerID, version: UInt64) -> UInt64 {
        lastNumber += 1
        if peers.isEmpty {
            answeredVersion = version
        }
        if queries[peer] == nil {
            peers.append(peer)
        }
        queries[peer, default: []].append(
            Repeating(query: query, number: lastNumber, isBeingAnswered: true))
        return lastNumber
    }

    mutating func remove(_ request: UInt64, of peer: PeerID) {
        queries[peer]?.removeAll { $0.query.request == request }
        if queries[peer]?.isEmpty == true {
            remove(of: peer)
        }
    }

    mutating func remove(of peer: PeerID) {
        if queries.removeValue(forKey: peer) != nil {
            peers.removeAll { $0 == peer }
        }
    }

    func contains(_ number: UInt64, of peer: PeerID) -> Bool {
        place(number, of: peer) != nil
    }

    private func place(_ number: UInt64, of peer: PeerID) -> Int? {
        queries[peer]?.firstIndex { $0.number == number }
    }

    // MARK: - Answering

    /// Whether any is to be answered again.
    func needsAnswers(_ version: UInt64) -> Bool {
        !isEmpty && (isAnyDue || answeredVersion != version)
    }

    /// They are answered at this deadline.
    mutating func answer(at deadline: DeadlineQueue.Handle) {
        nextAnswers = deadline
    }

    /// Returns the queries that are due. A query whose last answer has not been sent or read waits.
    mutating func takeDue(
        _ version: UInt64
    ) -> [(peer: PeerID, query: Query, number: UInt64)] {
        let hasChanged = answeredVersion != version
        answeredVersion = version
        isAnyDue = false
        var due: [(peer: PeerID, query: Query, number: UInt64)] = []
        for peer in peers {
            for place in queries[peer, default: []].indices {
                if hasChanged {
                    queries[peer]?[place].isDue = true
                }
                guard let repeating = queries[peer]?[place], repeating.isDue,
                    !repeating.isBeingAnswered, repeating.beat == nil
                else {
                    continue
                }
                queries[peer]?[place].isDue = false
                queries[peer]?[place].isBeingAnswered = true
                due.append((peer, repeating.query, repeating.number))
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
            isAnyDue = true
        }
    }
}
