// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJournal
import CascadePolicy
import CascadeWire
import ZeroMQ

/// What the daemon tells its broker, between the thread's turns.
extension BrokerShell {
    /// Takes no new events from now on.
    mutating func stop() {
        take(.stop)
    }

    /// Tells every peer that the daemon ends.
    mutating func dismissAll() {
        lookAtClock()
        keepHandoverNow()
        take(.dismissAll)
        log.close()
    }

    /// The journal has been read.
    mutating func recover(_ report: JournalReport) {
        if report.damagedCount > 0 {
            take(.journalDamaged(count: report.damagedCount, evidence: report.evidence))
        }
        take(.recovered(report.records, fault: report.fault))
    }

    /// The files of rules have been read, or could not be.
    mutating func load(_ files: Result<[RuleModelFile], RuleFilesError>) {
        switch files {
        case .success(let files): take(.rules(files))
        case .failure(let error): refuse(.rules, error.description)
        }
    }

    /// What was read again is wrong: all that was there before stays.
    mutating func refuse(_ kind: DaemonFileKind, _ sentence: String) {
        take(.unreadable(kind, sentence: sentence))
    }

    /// The policy has been read.
    mutating func load(_ policy: Policy) {
        take(.policy(policy))
    }

    /// Expels the peers whose keys are not among these any more.
    mutating func keep(_ keys: AuthorizedKeys) {
        for (peer, key) in admitted where !keys.admits(key) {
            let sentence = "the key of '\(key.name)' is no longer authorized on this bus"
            take(.expel(peer, Violation(.denied, sentence)))
        }
    }

    mutating func reconfigure(_ configuration: BrokerConfiguration) {
        take(.configured(configuration))
    }

    /// What the broker has counted, and what the process takes.
    mutating func metrics() -> String {
        lookAtClock()
        noteProcessFacts()
        return broker.metrics
    }

    /// What metrics say of the process, which only the kernel knows, and which takes a while.
    mutating func noteProcessFacts() {
        broker.processFacts = .current(startMicroseconds: startMicroseconds)
    }

    var isIdle: Bool {
        broker.isIdle
    }

    private mutating func take(_ input: Input) {
        lookAtClock()
        handle(input)
        flush()
    }

    mutating func lookAtClock() {
        now = Instant(nanoseconds: MonotonicClock.now())
    }
}
