// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import ZeroMQ

/// Status notifications to the service manager, and the handover that it keeps for the next daemon.
extension BrokerShell {
    /// Stores the handover. Must run before messages are sent: the next daemon has to know
    /// everything that a peer knows.
    mutating func storeHandover() {
        for handover in handovers {
            if let failure = handover.keep(broker, at: now) {
                log.stateLost(failure)
            }
        }
    }

    mutating func storeHandoverNow() {
        for handover in handovers {
            if let failure = handover.keepNow(broker, at: now) {
                log.stateLost(failure)
            }
        }
    }

    mutating func notifyServiceManager() {
        report?.sendWatchdog(at: now)
        if report?.isStatusDue(at: now) == true {
            report?.sendStatus(broker.summary, at: now)
        }
    }

    /// Reports the state of the configuration files when the broker logs it. The report is sent at
    /// once, because callers that wait for the end of a reload read it then.
    mutating func updateStatus(after entry: LogEntry) {
        switch entry.fileStatus {
        case nil: return
        case .loaded: report?.problem = nil
        case .refused(let sentence):
            report?.problem = "\(sentence); the previous files stay in force"
        }
        report?.sendStatus(broker.summary, at: now)
    }
}

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
