// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// The end of the patience: what is above counts as gone.
extension Bridge {
    /// Makes `/` vacant for all but inspection. What was on its way up counts as lost with it; what waited to
    /// be raised ends as if nothing were above.
    mutating func cut(at now: Duration) {
        link.patienceEnded()
        rootDeclaration.isCarrying = false
        environment.markStale()
        declareRoot(abandons: true)
        let notAccepted = waiting.release()
        giveUp(at: now)
        for token in notAccepted {
            end(token, .passed)
        }
    }

    /// Gives up the messages that are under way above. The outcome of one may still arrive, if the session
    /// above is connected.
    private mutating func giveUp(at now: Duration) {
        let isConnected = above.state == .welcomed
        let released = crossings.release()
        for ticket in crossings.allTickets {
            above.giveUp(ticket)
            crossings.giveUp(ticket: ticket)
            if !isConnected, let (key, _) = crossings.remove(ticket: ticket) {
                crossings.remember(.lost, of: key, at: now)
            }
        }
        for token in released {
            // The verdict is not sent, because the visit is abandoned.
            end(token, .passed)
        }
    }
}
