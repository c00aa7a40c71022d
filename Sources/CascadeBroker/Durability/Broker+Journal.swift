// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The conversation with the journal: what goes into it, and what follows once that is on disk.
extension Broker {
    /// Has a record written, or taken out where there is none, and notes what waits for it. Returns
    /// the entry's number.
    mutating func write(
        _ body: [UInt8]?, of key: EventID, for subject: PendingWrite.Subject?,
        isSynced: Bool = true
    ) -> UInt64 {
        let number = durability.nextNumber()
        var mayUseReserve = true
        if let subject {
            durability.append(PendingWrite(subject: subject, number: number))
            if case .event = subject {
                mayUseReserve = false
            }
        }
        turn.effects.append(
            .persist(
                JournalEntry(
                    number: number, key: key, body: body, isSynced: isSynced,
                    mayUseReserve: mayUseReserve)))
        return number
    }

    /// Everything up to this entry is on disk; `fault` says why no new event can be, if that is so.
    mutating func persisted(upTo number: UInt64, fault: String?) {
        if let fault {
            noteFault(fault)
        } else if durability.fault != nil {
            durability.fault = nil
            log(.journalMended)
        }
        while let write = durability.nextAnswered(upTo: number) {
            switch write.subject {
            case .event(let event, let session):
                if propagations.contains(event) {
                    acceptDurable(event)
                }
                releaseFollowers(of: session, behind: write.number)
            case .outcome(let id): settleDurable(id)
            }
        }
    }

    /// What came behind the last answer, up to this entry, could not be written.
    mutating func notPersisted(upTo number: UInt64, _ sentence: String) {
        noteFault(sentence)
        while let write = durability.nextAnswered(upTo: number) {
            switch write.subject {
            case .event(let event, let session):
                if propagations.contains(event) {
                    refuseDurable(event, WireError(.journalFailed, sentence))
                }
                releaseFollowers(of: session, behind: write.number)
            case .outcome(let id):
                // What could not take an event may still take an outcome; this could not.
                durability.fault?.takesOutcomes = false
                durability.unwritten.append(id)
            }
        }
        scheduleJournalRetry()
    }

    private mutating func noteFault(_ sentence: String) {
        if durability.fault == nil {
            log(.journalFailed(sentence: sentence))
        }
        durability.fault = DurableStore.Fault(
            sentence: sentence, retry: now.advanced(byMilliseconds: Self.journalRetryMilliseconds))
    }

    /// How long the journal is left alone after it has failed.
    private static let journalRetryMilliseconds: UInt32 = 1_000

    /// Sets out the events that waited for the durable event of this entry, which come before
    /// whatever the session has triggered since.
    private mutating func releaseFollowers(of session: SessionID, behind number: UInt64) {
        for event in durability.takeFollowers(of: session, behind: number)
        where propagations.contains(event) {
            setOut(event)
        }
    }

    mutating func scheduleJournalRetry() {
        if let fault = durability.fault, !durability.unwritten.isEmpty,
            durability.retryHandle == DeadlineQueue.none
        {
            durability.retryHandle = deadlines.insert(fault.retry, .journal)
        }
    }

    mutating func retryJournal() {
        durability.retryHandle = DeadlineQueue.none
        let unwritten = durability.unwritten
        durability.unwritten = []
        for id in unwritten {
            writeOutcome(id)
        }
    }

    // MARK: - Age

    /// For how long there have been daemons on this journal, in milliseconds. What is held expires
    /// by this clock: neither a wall clock that is set nor the time without a daemon counts.
    var age: UInt64 {
        durability.ageAtStart + now.microseconds(since: lifetime.startedAt) / 1_000
    }

    /// Writes how old the bus is, so that what is held does not begin anew with each daemon.
    mutating func noteAge(isFinal: Bool = false) {
        guard !durability.isEmpty,
            isFinal || age >= durability.writtenAge + Self.ageStepMilliseconds
        else {
            return
        }
        durability.writtenAge = age
        var fields = FieldWriter()
        fields.append(.age, age)
        _ = write(fields.bytes, of: .age, for: nil, isSynced: false)
    }

    private static let ageStepMilliseconds: UInt64 = 60_000
}
