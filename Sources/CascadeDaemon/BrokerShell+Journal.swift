// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import ZeroMQ

/// Durable events: what is to be written leaves at the end of a turn, all of it together, and what
/// was written comes back at the beginning of one.
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
