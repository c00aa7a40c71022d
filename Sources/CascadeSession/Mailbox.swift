// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// The visits that have arrived for one node, and the number that run.
struct Mailbox: Sendable {
    var concurrency = 1
    var prefetch = 1
    var runningCount = 0
    var waiting: Deque<UInt32> = []
    /// The number of unacknowledged visits that have ended and are not yet returned to the daemon
    /// as credit.
    var creditDue: UInt32 = 0

    /// Begins a visit that has just arrived, unless it must wait. Returns whether it begins.
    mutating func beginsAtOnce() -> Bool {
        guard runningCount < concurrency, waiting.isEmpty else {
            return false
        }
        runningCount += 1
        return true
    }

    /// Returns the next waiting visit that may begin now, if any.
    mutating func begin() -> UInt32? {
        guard runningCount < concurrency, let next = waiting.popFirst() else {
            return nil
        }
        runningCount += 1
        return next
    }

    /// Drops the waiting visits after the end of the node or the connection. Running visits
    /// continue.
    mutating func empty() {
        waiting = []
        creditDue = 0
    }
}
