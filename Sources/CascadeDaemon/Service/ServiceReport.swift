// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import SystemdService

/// Tells the service manager how the broker does: that it still has its turns, and what stands in
/// the tree. Called in the broker's own turn, so that one that is stuck says nothing.
struct ServiceReport {
    private let notifier: ServiceNotifier
    private let watchdogNanoseconds: UInt64?
    private var nextSign = Instant(nanoseconds: 0)
    private var nextStatus = Instant(nanoseconds: 0)
    private var status = ""
    private var raisedCount: UInt64 = 0
    private var countedAt: Instant?
    /// What an administrator should look at, as long as it stands.
    var problem: String?

    private static let statusMilliseconds: UInt32 = 1_000

    init?(_ surroundings: ServiceSurroundings) {
        guard let notifier = surroundings.notifier else {
            return nil
        }
        self.notifier = notifier
        watchdogNanoseconds = surroundings.watchdogNanoseconds
    }

    /// When the next sign of life is due. What the status says changes with the turns.
    var next: Instant? {
        watchdogNanoseconds == nil ? nil : nextSign
    }

    mutating func giveSign(at now: Instant) {
        if let watchdogNanoseconds, now >= nextSign,
            notifier.send(["WATCHDOG=1"], waiting: false)
        {
            nextSign = Instant(nanoseconds: now.nanoseconds + watchdogNanoseconds)
        }
    }

    func wantsSummary(at now: Instant) -> Bool {
        now >= nextStatus
    }

    mutating func tell(_ summary: BrokerSummary, at now: Instant) {
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
