// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// The durable events of the bus, and the work that waits for the journal.
struct DurableStore: Sendable {
    /// Why no event can be written.
    struct Fault: Sendable {
        var sentence: String
        /// From when on writes are tried again.
        var retry: Instant
        /// Whether outcomes may be written all the same.
        var takesOutcomes = true
    }

    private(set) var events: [EventKey: DurableEvent] = [:]
    /// The owners of the sessions that have events here, and how many.
    private var owners: [SessionIdentity: (owner: DurableOwner, count: Int)] = [:]
    /// Those that have ended, in the order in which they did.
    private(set) var settled = SharedRing<EventKey>()

    /// In the order of the entries' numbers.
    private var pending: Deque<PendingWrite> = []
    /// The sessions that have durable events that are being written.
    private var writing: [SessionID: DurableSequence] = [:]
    /// Outcomes that could not be written, to be written again.
    private(set) var unwritten: [EventKey] = []
    private var lastNumber: UInt64 = 0
    private(set) var fault: Fault?
    /// The size of the disk that the journal is on.
    private(set) var diskByteCount = UInt64.max
    /// When the outcomes that could not be written are written again.
    private(set) var nextRetry = DeadlineQueue.none
    private let startedAt: Instant
    /// How old the bus was when this daemon began, and when its age was written last, in
    /// milliseconds.
    private(set) var ageAtStart: UInt64 = 0
    private var writtenAge: UInt64 = 0

    /// - Parameter now: when the daemon began.
    init(at now: Instant) {
        startedAt = now
    }

    var isEmpty: Bool {
        events.isEmpty
    }

    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: - Writes

    /// The outcomes that could not be written are written again at this deadline.
    mutating func retry(at deadline: DeadlineQueue.Handle) {
        nextRetry = deadline
    }

    mutating func append(_ write: PendingWrite) {
        pending.append(write)
    }

    /// Removes and returns the next write that has been answered.
    mutating func nextAnswered(upTo number: UInt64) -> PendingWrite? {
        guard let first = pending.first, first.number <= number else {
            return nil
        }
        return pending.removeFirst()
    }

    /// Whether any durable event is being written.
    var isWriting: Bool {
        !writing.isEmpty
    }

    /// Whether a durable event of the session is being written.
    func isWriting(for session: SessionID) -> Bool {
        writing[session] != nil
    }

    /// A durable event of the session is being written, by this entry.
    mutating func beginWriting(_ number: UInt64, for session: SessionID) {
        writing[session, default: DurableSequence()].lastNumber = number
    }

    /// The event waits for the durable events that its session has triggered before.
    mutating func follow(_ follower: EventIndex, of session: SessionID) {
        writing[session]?.append(follower)
    }

    /// Removes and returns the events that waited for this entry of the session and not for a
    /// later one, in the order in which they were triggered.
    mutating func takeFollowers(
        of session: SessionID, behind number: UInt64
    ) -> [EventIndex] {
        let followers = writing[session]?.take(behind: number) ?? []
        if let last = writing[session]?.lastNumber, last <= number {
            writing[session] = nil
        }
        return followers
    }

    // MARK: - The journal

    /// No event can be written. Returns whether that is new.
    mutating func fail(_ sentence: String, retry: Instant) -> Bool {
        let isNew = fault == nil
        fault = Fault(sentence: sentence, retry: retry)
        return isNew
    }

    /// Events can be written. Returns whether that is new.
    mutating func mend() -> Bool {
        let isNew = fault != nil
        fault = nil
        return isNew
    }

    /// The outcome could not be written, nor can any other.
    mutating func refuseOutcome(_ id: EventKey) {
        fault?.takesOutcomes = false
        unwritten.append(id)
    }

    /// The outcome is not written while the journal has a fault.
    mutating func postponeOutcome(_ id: EventKey) {
        unwritten.append(id)
    }

    /// Returns the outcomes that are to be written again.
    mutating func takeUnwritten() -> [EventKey] {
        defer { unwritten = [] }
        return unwritten
    }

    mutating func setDiskSize(byteCount: UInt64) {
        diskByteCount = byteCount
    }

    // MARK: - Age

    /// Returns the time that daemons have run on this journal, in milliseconds. Held events expire
    /// by this clock: setting the wall clock and time without a daemon do not count.
    func age(at now: Instant) -> UInt64 {
        ageAtStart + now.microseconds(since: startedAt) / 1_000
    }

    /// Restores the age from a record. An age that leaves no room for later ones is ignored.
    mutating func recordAgeAtStart(_ age: UInt64) {
        ageAtStart = max(ageAtStart, min(age, 1 << 62))
        writtenAge = ageAtStart
    }

    /// Returns the age if it is to be written now. Without such records, the expiry of held events
    /// would begin anew with each daemon.
    mutating func takeAgeToWrite(at now: Instant, isFinal: Bool) -> UInt64? {
        let age = age(at: now)
        guard !isEmpty, isFinal || age >= writtenAge + Self.ageStepMilliseconds else {
            return nil
        }
        writtenAge = age
        return age
    }

    private static let ageStepMilliseconds: UInt64 = 60_000

    // MARK: - Events

    subscript(id: EventKey) -> DurableEvent? {
        events[id]
    }

    /// The owner of a session that has durable events, whether or not the session is on the bus.
    func owner(of session: SessionIdentity) -> DurableOwner? {
        owners[session]?.owner
    }

    /// Takes in an event that has not ended, or the outcome of one that has. Returns `false`, and
    /// takes nothing, where there is one already: no event ever replaces another.
    mutating func insert(
        _ id: EventKey, _ event: DurableEvent, _ accounts: inout AccountTable
    ) -> Bool {
        guard events[id] == nil else {
            return false
        }
        events[id] = event
        owners[id.session, default: (event.owner, 0)].count += 1
        accounts.charge(event.byteCount, .durableBytes, to: event.account)
        if case .settled = event.state {
            appendSettled(id, event.account, &accounts)
        } else {
            accounts.charge(1, .durable, to: event.account)
        }
        return true
    }

    private mutating func appendSettled(
        _ id: EventKey, _ account: AccountIndex, _ accounts: inout AccountTable
    ) {
        events[id]?.place = settled.append(id, for: account)
        accounts.charge(1, .durableOutcomes, to: account)
    }

    mutating func accept(_ id: EventKey) {
        events[id]?.state = .underWay
    }

    /// The event has ended.
    mutating func end(_ id: EventKey, _ outcome: Settled, _ accounts: inout AccountTable) {
        guard let event = events[id] else {
            return
        }
        accounts.release(1, .durable, from: event.account)
        charge(0, for: id, &accounts)
        events[id]?.state = .settling(outcome)
    }

    /// Charges the record of the event or of its outcome, in the place of the record before.
    mutating func charge(_ byteCount: Int, for id: EventKey, _ accounts: inout AccountTable) {
        guard let event = events[id] else {
            return
        }
        accounts.charge(byteCount - event.byteCount, .durableBytes, to: event.account)
        events[id]?.byteCount = byteCount
    }

    /// Its outcome is written.
    mutating func settle(_ id: EventKey, _ accounts: inout AccountTable) {
        if let event = events[id], case .settling(let outcome) = event.state {
            events[id]?.state = .settled(outcome)
            appendSettled(id, event.account, &accounts)
        }
    }

    mutating func disown(_ id: EventKey) {
        events[id]?.isOutcomeWanted = false
    }

    mutating func remove(_ id: EventKey, _ accounts: inout AccountTable) {
        guard let event = events.removeValue(forKey: id) else {
            return
        }
        if let count = owners[id.session]?.count {
            if count > 1 {
                owners[id.session]?.count = count - 1
            } else {
                owners[id.session] = nil
            }
        }
        accounts.release(event.byteCount, .durableBytes, from: event.account)
        switch event.state {
        case .writing, .underWay: accounts.release(1, .durable, from: event.account)
        case .settling: break
        case .settled:
            if let place = event.place {
                settled.remove(place)
            }
            accounts.release(1, .durableOutcomes, from: event.account)
        }
    }
}
