// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// What has arrived for one node and how much of it may run at once.
struct Mailbox: Sendable {
    var concurrency = 1
    var prefetch = 1
    var runningCount = 0
    var waiting: Deque<UInt32> = []
    /// Unacknowledged visits that have ended and were not yet given back to the daemon.
    var creditDue: UInt32 = 0

    /// Makes room for a visit that has just come, if it need not wait.
    mutating func beginsAtOnce() -> Bool {
        guard runningCount < concurrency, waiting.isEmpty else {
            return false
        }
        runningCount += 1
        return true
    }

    /// Takes the next visit that may begin now.
    mutating func begin() -> UInt32? {
        guard runningCount < concurrency, let next = waiting.popFirst() else {
            return nil
        }
        runningCount += 1
        return next
    }

    /// The node is gone, or the connection: nothing waits any more. What runs goes on running.
    mutating func empty() {
        waiting = []
        creditDue = 0
    }
}
