// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJournal
import CascadePolicy
import CascadeWire
import ZeroMQ

/// Inputs from other parts of the daemon, processed between the thread's turns.
extension BrokerShell {
    /// Accepts no new messages from now on.
    mutating func stop() {
        handleNow(.stop)
    }

    /// Dismisses every peer: the daemon ends.
    mutating func dismissAll() {
        readClock()
        storeHandoverNow()
        handleNow(.dismissAll)
    }

    /// Closes all connections after writing their output, for at most half a second.
    mutating func closeAll() {
        transports.closeAll()
        readClock()
        logReports()
        log.close()
    }

    /// Writes what the transports report about connections to the log.
    mutating func logReports() {
        for record in transports.takeReports() {
            log.write(record, at: now)
        }
    }

    /// Passes the contents of the journal to the broker.
    mutating func recover(_ report: JournalReport) {
        if report.damagedCount > 0 {
            handleNow(.journalDamaged(count: report.damagedCount, evidence: report.evidence))
        }
        handleNow(.journalDisk(byteCount: UInt64(report.diskByteCount)))
        handleNow(.recovered(report.records, fault: report.fault))
    }

    /// Replaces the rules, or reports why the files could not be read.
    mutating func load(_ files: Result<[RuleModelFile], GuardedFileError>) {
        switch files {
        case .success(let files): handleNow(.rules(files))
        case .failure(let error): refuse(.rules, RuleFiles.sentence(about: error))
        }
    }

    /// Reports that files of this kind cannot be used; the configuration before stays in force.
    mutating func refuse(_ kind: DaemonFileKind, _ sentence: String) {
        handleNow(.unreadable(kind, sentence: sentence))
    }

    /// Replaces the policy.
    mutating func load(_ policy: Policy) {
        handleNow(.policy(policy))
    }

    /// Ends the sessions of peers whose key is not in `keys`.
    mutating func endSessions(withoutKeyIn keys: AuthorizedKeys) {
        for (peer, key) in peers.keys where !keys.admits(key) {
            let sentence = "the key of '\(key.name)' is no longer authorized on this bus"
            handleNow(.expel(peer, Violation(.denied, sentence)))
        }
    }

    mutating func reconfigure(_ configuration: BrokerConfiguration) {
        handleNow(.configured(configuration))
    }

    /// The metrics of broker and process in Prometheus' text format.
    mutating func metrics() -> String {
        readClock()
        refreshProcessFacts()
        return broker.metrics
    }

    /// Reads what metrics show of the process from the kernel. This takes several system calls.
    mutating func refreshProcessFacts() {
        broker.processFacts = .current(startMicroseconds: startMicroseconds)
    }

    var isIdle: Bool {
        broker.isIdle
    }

    private mutating func handleNow(_ input: Input) {
        readClock()
        handle(input)
        flush()
    }

    mutating func readClock() {
        now = Instant(nanoseconds: MonotonicClock.now())
    }
}
