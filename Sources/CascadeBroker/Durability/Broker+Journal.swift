// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The exchange with the journal: the records written, and the work that continues once they are
/// stored.
extension Broker {
    /// Writes a record, or removes it if `record` is `nil`, and remembers the work that waits for
    /// it. Returns the entry's number.
    mutating func write(
        _ body: [UInt8]?, of key: EventID, for subject: PendingWrite.Subject?,
        isSynced: Bool = true
    ) -> UInt64 {
        let number = traffic.durable.nextNumber()
        var mayUseReserve = true
        if let subject {
            traffic.durable.append(PendingWrite(subject: subject, number: number))
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

    /// Handles the report that all entries up to `number` are stored. `fault` is the reason why no
    /// new event can be.
    mutating func persisted(upTo number: UInt64, fault: String?) {
        if let fault {
            recordFault(fault)
        } else if traffic.durable.mend() {
            log(.journalMended)
        }
        while let write = traffic.durable.nextAnswered(upTo: number) {
            switch write.subject {
            case .event(let event, let session):
                if traffic.events.contains(event) {
                    acceptDurable(event)
                }
                releaseFollowers(of: session, behind: write.number)
            case .outcome(let id): settleDurable(id)
            }
        }
    }

    /// Handles the report that the entries since the last report, up to `number`, could not be
    /// written.
    mutating func notPersisted(upTo number: UInt64, _ sentence: String) {
        recordFault(sentence)
        while let write = traffic.durable.nextAnswered(upTo: number) {
            switch write.subject {
            case .event(let event, let session):
                if traffic.events.contains(event) {
                    refuseDurable(event, WireError(.journalFailed, sentence))
                }
                releaseFollowers(of: session, behind: write.number)
            case .outcome(let id):
                // A journal that cannot store an event may still have room for an outcome; it could
                // not store this one.
                traffic.durable.refuseOutcome(id)
            }
        }
        scheduleJournalRetry()
    }

    private mutating func recordFault(_ sentence: String) {
        let retry = now.advanced(byMilliseconds: Self.journalRetryMilliseconds)
        if traffic.durable.fail(sentence, retry: retry) {
            log(.journalFailed(sentence: sentence))
        }
    }

    /// How long the journal is left alone after it has failed.
    private static let journalRetryMilliseconds: UInt32 = 1_000

    /// Sets out the events that waited for the durable event of this entry, which come before
    /// all that the session has triggered since.
    private mutating func releaseFollowers(of session: SessionID, behind number: UInt64) {
        for event in traffic.durable.takeFollowers(of: session, behind: number)
        where traffic.events.contains(event) {
            startMoving(event)
        }
    }

    mutating func scheduleJournalRetry() {
        if let fault = traffic.durable.fault, !traffic.durable.unwritten.isEmpty,
            !deadlines.contains(traffic.durable.nextRetry)
        {
            traffic.durable.retry(at: deadlines.insert(fault.retry, .journal))
        }
    }

    mutating func retryJournal() {
        for id in traffic.durable.takeUnwritten() {
            writeOutcome(id)
        }
    }

    /// Writes how old the bus is, now and then.
    mutating func writeAge(isFinal: Bool = false) {
        if let age = traffic.durable.takeAgeToWrite(at: now, isFinal: isFinal) {
            var fields = FieldWriter()
            fields.append(.age, age)
            _ = write(fields.bytes, of: .age, for: nil, isSynced: false)
        }
    }
}
