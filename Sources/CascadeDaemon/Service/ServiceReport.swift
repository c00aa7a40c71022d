// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import SystemdService

/// Sends the watchdog and status notifications. Called in the broker's own turns, so that a broker
/// that is stuck sends none.
struct ServiceReport {
    private let notifier: ServiceNotifier
    private let watchdogNanoseconds: UInt64?
    private var nextWatchdog = Instant(nanoseconds: 0)
    private var nextStatus = Instant(nanoseconds: 0)
    private var status = ""
    private var raisedCount: UInt64 = 0
    private var countedAt: Instant?
    /// A problem that an administrator should look at; part of the status while set.
    var problem: String?

    private static let statusMilliseconds: UInt32 = 1_000

    init?(_ serviceEnvironment: ServiceEnvironment) {
        guard let notifier = serviceEnvironment.notifier else {
            return nil
        }
        self.notifier = notifier
        watchdogNanoseconds = serviceEnvironment.watchdogNanoseconds
    }

    /// When the next watchdog notification is due. The status is updated in turns that happen
    /// anyway.
    var next: Instant? {
        watchdogNanoseconds == nil ? nil : nextWatchdog
    }

    mutating func sendWatchdog(at now: Instant) {
        if let watchdogNanoseconds, now >= nextWatchdog,
            notifier.send(["WATCHDOG=1"], waiting: false)
        {
            nextWatchdog = Instant(nanoseconds: now.nanoseconds + watchdogNanoseconds)
        }
    }

    func isStatusDue(at now: Instant) -> Bool {
        now >= nextStatus
    }

    mutating func sendStatus(_ summary: BrokerSummary, at now: Instant) {
        nextStatus = now.advanced(byMilliseconds: Self.statusMilliseconds)
        let text = text(summary, at: now)
        if text != status,
            notifier.send([ServiceNotifier.status(text)], waiting: false)
        {
            status = text
        }
    }

    private mutating func text(_ summary: BrokerSummary, at now: Instant) -> String {
        let elapsed = countedAt.map { now.microseconds(since: $0) } ?? 0
        let count = summary.raisedCount - raisedCount
        let rate = elapsed == 0 ? 0 : count * 1_000_000 / elapsed
        raisedCount = summary.raisedCount
        countedAt = now
        let parts = [
            Self.counted(summary.nodeCount, "node"), Self.counted(summary.sessionCount, "session"),
            "\(rate) events/s", "\(summary.undeliveredCount) undelivered",
        ]
        return parts.joined(separator: ", ") + (problem.map { "; \($0)" } ?? "")
    }

    private static func counted(_ count: Int, _ word: String) -> String {
        count == 1 ? "1 \(word)" : "\(count) \(word)s"
    }
}
