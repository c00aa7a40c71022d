// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// What the service manager is told, and what it keeps for the next daemon.
extension BrokerShell {
    /// Has to come before the peers are told: what they know to have happened, the next daemon
    /// knows too.
    mutating func keepHandover() {
        if let handover, !handover.keep(broker, at: now) {
            log.cannotKeepState()
        }
    }

    mutating func keepHandoverNow() {
        if let handover, !handover.keepNow(broker, at: now) {
            log.cannotKeepState()
        }
    }

    mutating func giveSign() {
        report?.giveSign(at: now)
        if report?.wantsSummary(at: now) == true {
            report?.tell(broker.summary, at: now)
        }
    }

    /// What the log says about the files that were read last is their state. It is told at once:
    /// a command that waits for the end of a reload reads it then.
    mutating func note(_ entry: LogEntry) {
        switch entry {
        case .rulesLoaded: tell(problem: nil)
        case .filesRefused(_, let sentence):
            tell(problem: "\(sentence); what was there before stays")
        default: break
        }
    }

    private mutating func tell(problem: String?) {
        report?.problem = problem
        report?.tell(broker.summary, at: now)
    }
}
