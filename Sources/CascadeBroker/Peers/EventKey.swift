// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The identity of an event in the daemon's tables. Any peer may name any session's ID; an event of
/// a session that has proved its ID therefore differs from an event with the same ID of a session
/// that has not.
struct EventKey: Hashable, Sendable {
    var id: EventID
    /// Whether its session has proved its ID by a secret.
    var isProven: Bool

    var session: SessionIdentity {
        SessionIdentity(id.session, isProven: isProven)
    }
}

extension Broker {
    func eventKey(_ event: EventIndex) -> EventKey {
        eventKey(
            traffic.events[event].message.origin.session,
            traffic.events[event].message.origin.sequence)
    }

    func eventKey(_ session: SessionIndex, _ sequence: UInt64) -> EventKey {
        let identity = sessions.identity(session)
        return EventKey(
            id: EventID(session: identity.id, sequence: sequence), isProven: identity.isProven)
    }
}
