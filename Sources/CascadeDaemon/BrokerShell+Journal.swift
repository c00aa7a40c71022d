// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import ZeroMQ

/// Durable events: entries are submitted to the journal's thread together at the end of a turn, and
/// its answers are read at the beginning of one.
extension BrokerShell {
    mutating func submitToJournal() {
        guard !unsubmitted.isEmpty else {
            return
        }
        journal?.submit(unsubmitted)
        unsubmitted.removeAll(keepingCapacity: true)
    }

    mutating func takeFromJournal() {
        guard let journal else {
            return
        }
        for answer in journal.takeAnswers() {
            handle(answer)
        }
    }
}
