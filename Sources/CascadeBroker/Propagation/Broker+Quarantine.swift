// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Quarantine of poison messages: after a set number of sessions have ended while they worked on an
/// event, no node is asked about it until an administrator raises it again.
extension Broker {
    /// A session has ended with these deliveries in its hands. Those that it had accepted may be
    /// the reason, unless its node connects another bus: it only passes events on to that bus, which
    /// counts the crashes of its own sessions.
    mutating func countCrashes(during leftOver: [DeliveryIndex], of peer: PeerID) {
        let session = sessions[peers[peer].session]
        for delivery in leftOver where traffic.deliveries[delivery].state == .accepted {
            if case .event(let event) = traffic.deliveries[delivery].subject,
                !hierarchy[traffic.deliveries[delivery].node].isUplink
            {
                traffic.events.quarantine.recordCrash(
                    eventKey(event), session, of: traffic.events[event].message.origin.account,
                    limit: configuration.limits.quarantined, &accounts)
            }
        }
    }

    /// Returns whether the event is quarantined. An event that an administrator has raised again is
    /// quarantined at the next crash.
    func isQuarantined(_ event: EventIndex) -> Bool {
        !traffic.events.quarantine.isEmpty
            && traffic.events.quarantine.count(eventKey(event))
                >= Int(configuration.limits.crashesPerEvent)
    }

    /// Marks an event of another bus as sent again if a session has ended here while it worked on it. The bus
    /// from which it comes knows only that no responder has handled it.
    mutating func markIfCrashed(_ event: EventIndex) {
        if !traffic.events.quarantine.isEmpty,
            traffic.events.quarantine.count(eventKey(event)) > 0
        {
            traffic.events[event].markSentAgain()
        }
    }

    /// Ends the event at the node at which the last session ended.
    mutating func quarantine(_ event: EventIndex, at node: NodeIndex) {
        let count = traffic.events.quarantine.count(eventKey(event))
        let failure = Failure(
            .quarantined,
            message: "\(count) sessions ended while they worked on the event "
                + "(limit crashesPerEvent)",
            node: hierarchy.path(of: node))
        log(
            .quarantined(eventKey(event).id, currentName(of: event)),
            at: hierarchy.path(of: traffic.events[event].message.origin.node))
        settle(event, .failed, failure: replacing(failure, of: event), isQuarantined: true)
    }
}
