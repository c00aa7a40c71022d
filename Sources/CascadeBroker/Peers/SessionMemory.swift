// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// The daemon's memory of all messages of a session, on any of its connections.
struct SessionMemory: Sendable {
    /// The highest number of anything that was raised.
    private(set) var lastSequence: UInt64 = 0
    private(set) var kept = UnconfirmedOutcomes()

    // For the connection that the session has now.

    /// Whether something has been raised on it for the first time. From then on nothing may be sent
    /// again, and numbers have no gaps.
    private(set) var hasRaised = false
    /// How many outcomes had been kept before it.
    private(set) var keptBefore: UInt64 = 0
    /// Messages that were under way before it, or have been sent again on it. Each has one outcome
    /// to come.
    private(set) var underWay: Set<UInt64> = []

    /// Whether there is anything that the session could ask for again.
    var isWorthKeeping: Bool {
        !kept.isEmpty
    }

    // MARK: - Outcomes

    /// Keeps an outcome that its header says. Returns the payload that is no longer kept, if any.
    ///
    /// - Parameter limit: The outcomes that are kept.
    mutating func keep(_ entry: UnconfirmedOutcomes.Entry, limit: UInt32) -> Payload? {
        kept.append(entry, limit: limit)
    }

    /// Keeps an outcome. Returns the payloads that are no longer kept.
    mutating func keep(
        _ entry: UnconfirmedOutcomes.Entry, _ more: UnconfirmedOutcomes.More, limit: UInt32,
        byteLimit: UInt32
    ) -> [Payload] {
        let forgotten = kept.append(entry, more, limit: limit)
        return [forgotten].compactMap(\.self) + kept.forget(beyond: byteLimit)
    }

    /// Removes and returns the outcome with this number, to be sent again.
    mutating func take(
        _ sequence: UInt64
    ) -> (entry: UnconfirmedOutcomes.Entry, more: UnconfirmedOutcomes.More?)? {
        kept.take(sequence)
    }

    /// Holds to a limit that was lowered. Returns the payloads that are no longer kept.
    mutating func shrink(to byteLimit: UInt32) -> [Payload] {
        kept.forget(beyond: byteLimit)
    }

    /// Forgets all outcomes. Returns their payloads.
    mutating func forgetAll() -> [Payload] {
        kept.forget(before: .max)
    }

    // MARK: - Messages

    /// Something of this number has been raised.
    mutating func recordSequence(_ sequence: UInt64) {
        lastSequence = max(lastSequence, sequence)
    }

    /// Records the next message of the session, which has got so many outcomes on this connection.
    /// Returns `false`, and changes nothing, if the number does not follow the last one, or if
    /// payloads of outcomes have to be released.
    mutating func recordNext(_ sequence: UInt64, confirming count: UInt64) -> Bool {
        guard hasRaised, sequence > lastSequence, sequence - lastSequence == 1,
            kept.forgetEntries(before: keptBefore + min(count, kept.end - keptBefore))
        else {
            return false
        }
        lastSequence = sequence
        return true
    }

    /// The outcome of this number comes on this connection.
    mutating func recordPending(_ sequence: UInt64) {
        underWay.insert(sequence)
    }

    /// Continues the session on another connection.
    mutating func resume() {
        hasRaised = false
        keptBefore = kept.end
        underWay = []
    }

    /// Begins new messages: the session has sent again all earlier ones that it lacked. Returns the
    /// payloads that are no longer kept.
    mutating func beginRaising() -> [Payload] {
        hasRaised = true
        underWay = []
        return kept.forget(before: keptBefore)
    }

    /// The session has got so many outcomes on this connection. Returns the payloads that are no
    /// longer kept.
    mutating func confirmReceived(_ count: UInt64) -> [Payload] {
        // Outcomes kept earlier may still be requested.
        guard hasRaised else {
            return []
        }
        return kept.forget(before: keptBefore + min(count, kept.end - keptBefore))
    }
}

/// The latest outcomes sent to a session, in the order of sending, until the session confirms them.
/// A message sent again is answered from here.
///
/// The capacity is the session's credit. Outcomes arrive in order, so a session that lacks one
/// lacks all later ones too, and it never lacks more than its credit. An outcome that is sent again
/// moves to the end.
struct UnconfirmedOutcomes: Sendable {
    /// An outcome, so small that keeping one costs next to nothing.
    struct Entry: Sendable {
        var sequence: UInt64 = 0
        var node = NodeIndex.none
        var microseconds: UInt32 = 0
        var responder: UInt16 = 0
        var code: UInt8 = 0
        /// Whether there is more to it than this.
        var hasMore = false

        /// Whether the entry has been removed: no event has this number.
        var isEmpty: Bool {
            sequence == 0
        }
    }

    /// The part of an outcome that does not fit into an entry.
    enum More: Sendable {
        /// The whole message.
        case message([UInt8])
        /// The header and its payload.
        case reply(Header, Payload)
    }

    private var entries: Deque<Entry> = []
    private var more: [UInt64: More] = [:]
    /// Bytes of the parts that do not fit into entries.
    private(set) var byteCount = 0
    /// The number of the first entry, counted from the session's first.
    private var first: UInt64 = 0
    /// How many entries are empty.
    private var emptyCount = 0

    var isEmpty: Bool {
        entries.isEmpty
    }

    /// The number of the next entry.
    var end: UInt64 {
        first + UInt64(entries.count)
    }

    // MARK: - Keeping

    /// Keeps an outcome, and forgets the oldest if there are `limit`. Returns the payload that is
    /// no longer kept, if any.
    @inline(__always)
    mutating func append(_ entry: Entry, limit: UInt32) -> Payload? {
        // Empty entries may be as many again, so that asking for one outcome does not push out
        // another, and asking again and again makes nothing grow.
        let limit = Int(max(1, limit))
        var forgotten: Payload?
        while entries.count >= 2 * limit || entries.count - emptyCount >= limit {
            forgotten = removeFirst() ?? forgotten
        }
        entries.append(entry)
        return forgotten
    }

    mutating func append(_ entry: Entry, _ more: More, limit: UInt32) -> Payload? {
        var entry = entry
        entry.hasMore = true
        self.more[entry.sequence] = more
        byteCount += more.byteCount
        return append(entry, limit: limit)
    }

    /// Forgets the oldest until the rest has no more than so many bytes; the youngest stays.
    /// Returns the payloads that are no longer kept.
    mutating func forget(beyond byteLimit: UInt32) -> [Payload] {
        var forgotten: [Payload] = []
        while byteCount > Int(byteLimit), entries.count > 1 {
            if let payload = removeFirst() {
                forgotten.append(payload)
            }
        }
        return forgotten
    }

    // MARK: - Forgetting

    /// Removes the outcomes before the one with this number, if each of them is a full entry and
    /// nothing more. Returns whether that is so.
    mutating func forgetEntries(before number: UInt64) -> Bool {
        guard first < number else {
            return true
        }
        guard more.isEmpty, emptyCount == 0 else {
            return false
        }
        entries.removeFirst(Int(number - first))
        first = number
        return true
    }

    /// Removes the outcomes before the one with this number. Returns the payloads that are no
    /// longer kept.
    mutating func forget(before number: UInt64) -> [Payload] {
        let number = min(number, end)
        guard !forgetEntries(before: number) else {
            return []
        }
        var forgotten: [Payload] = []
        while first < number {
            if let payload = removeFirst() {
                forgotten.append(payload)
            }
        }
        return forgotten
    }

    private mutating func removeFirst() -> Payload? {
        let entry = entries.removeFirst()
        first += 1
        emptyCount -= entry.isEmpty ? 1 : 0
        return entry.hasMore ? removeMore(of: entry.sequence) : nil
    }

    private mutating func removeMore(of sequence: UInt64) -> Payload? {
        guard let more = more.removeValue(forKey: sequence) else {
            return nil
        }
        byteCount -= more.byteCount
        guard case .reply(_, let payload) = more else {
            return nil
        }
        return payload
    }

    // MARK: - Asked for again

    /// Removes and returns the outcome with this number, to be sent again. Rarely needed.
    mutating func take(_ sequence: UInt64) -> (entry: Entry, more: More?)? {
        guard let place = entries.lastIndex(where: { $0.sequence == sequence }) else {
            return nil
        }
        let entry = entries[place]
        entries[place] = Entry()
        emptyCount += 1
        let more = entry.hasMore ? more.removeValue(forKey: sequence) : nil
        byteCount -= more?.byteCount ?? 0
        return (entry, more)
    }
}

extension UnconfirmedOutcomes.More {
    fileprivate var byteCount: Int {
        switch self {
        case .message(let bytes): bytes.count
        case .reply(_, let payload): payload.count
        }
    }
}
