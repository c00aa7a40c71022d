// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// The deadline of a call that names one, for the time without a bus.
struct CallDeadline: Sendable {
    /// When the call ends without an answer. A message that the bus may hold has the hold time, too. The
    /// clock stands still while the machine is suspended, as that of the bus does.
    let end: SuspendingClock.Instant
    private let milliseconds: UInt32
    private let mayBeHeld: Bool

    /// Returns `nil` for a call with the bus's own deadline, and for a durable event, which the bus keeps.
    init?(_ options: RaiseOptions) {
        guard options.deadlineMilliseconds > 0, !options.isDurable else {
            return nil
        }
        milliseconds = options.deadlineMilliseconds
        mayBeHeld = options.holdMilliseconds > 0
        let whole = UInt64(options.deadlineMilliseconds) + UInt64(options.holdMilliseconds)
        end = .now + .milliseconds(Int64(whole))
    }

    /// The deadline for a message that is sent to a bus that has been away: the time that is left, at least 1
    /// ms.
    var millisecondsLeft: UInt32 {
        guard !mayBeHeld else {
            return milliseconds
        }
        let left = (end - .now) / .milliseconds(1)
        return left < 1 ? 1 : min(UInt32(left), milliseconds)
    }

    /// The error of a call whose message was never sent.
    var error: CascadeError {
        CascadeError(
            .refused, "no bus was there within the deadline of \(milliseconds) ms",
            reason: .timedOut)
    }

    /// The outcome of a message that a bus may have delivered before it went away.
    func outcome(of sequence: UInt64) -> SettledEvent {
        SettledEvent(
            OutcomeMessage(
                sequence: sequence, code: .timedOut,
                microseconds: UInt32(clamping: UInt64(milliseconds) * 1_000),
                failure: Failure(
                    .timedOut, message: "the bus has gone, and no other one was there in time",
                    node: .root)))
    }
}

/// The end of calls while no bus serves the session. Otherwise the bus alone keeps the deadlines.
///
/// Source: the contract, "Restart of the daemon": a call under way ends at its deadline at the latest.
extension Link {
    /// Ends each call at its deadline, until a bus has accepted the session.
    func watchDeadlines() {
        stopWatchingDeadlines()
        if let nextDeadline {
            watchDeadline(nextDeadline)
        }
    }

    /// Watches one more deadline. Many callers may wait, so only an earlier one changes the watch.
    func watchDeadline(_ end: SuspendingClock.Instant) {
        guard session.state != .welcomed, deadlineWatch.map({ end < $0.end }) ?? true else {
            return
        }
        deadlineWatch?.task.cancel()
        let task = Task { [weak self] in
            // Cancelled means that a bus is there, or that another watch has taken over.
            if (try? await Task.sleep(until: end, clock: .suspending)) != nil {
                await self?.endOverdueCalls()
            }
        }
        deadlineWatch = (task, end)
    }

    func stopWatchingDeadlines() {
        deadlineWatch?.task.cancel()
        deadlineWatch = nil
    }

    private var nextDeadline: SuspendingClock.Instant? {
        let ofOutcomes = outcomes.values.lazy.compactMap(\.deadline?.end).min()
        let ofWaiters = creditWaiters.lazy.compactMap(\.deadline?.end).min()
        return [ofOutcomes, ofWaiters].compactMap(\.self).min()
    }

    private func endOverdueCalls() {
        guard session.state != .welcomed else {
            return
        }
        let now = SuspendingClock.now
        for (sequence, outcome) in outcomes {
            if let deadline = outcome.deadline, deadline.end <= now {
                // It must not reach a bus that comes later: the caller has its outcome.
                session.giveUp(sequence)
                settle(sequence, .success(deadline.outcome(of: sequence)))
            }
        }
        creditWaiters.removeAll { waiting in
            guard let deadline = waiting.deadline, deadline.end <= now else {
                return false
            }
            waiting.waiter.resume(with: .failure(deadline.error))
            return true
        }
        watchDeadlines()
    }

    /// Leaves the messages that are sent again no more time than their callers have.
    func shortenDeadlines() {
        for (sequence, outcome) in outcomes {
            if let deadline = outcome.deadline {
                session.setDeadline(of: sequence, milliseconds: deadline.millisecondsLeft)
            }
        }
    }
}
