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

    /// What the log says about rules is their state.
    mutating func note(_ entry: LogEntry) {
        switch entry {
        case .rulesLoaded: problem = nil
        case .rulesRefused(let sentence): problem = "\(sentence); what was there before stays"
        default: break
        }
    }

    /// What is wrong with the files that were read last; `nil` if nothing is.
    var problem: String? {
        get { report?.problem }
        set { report?.problem = newValue }
    }
}
