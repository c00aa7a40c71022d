// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The present activity of an event and its data. ``Propagation`` has the transitions.
enum Stage: Sendable {
    /// The journal writes the record of a durable event, which is not accepted yet. Exits: moving.
    case writing
    /// Waits until the journal has the durable events that the session triggered before. Exits:
    /// moving.
    case following
    /// The broker looks for the next responder. Exits: queued, visiting, parked, or the outcome.
    case moving
    /// Waits until the node of the next responder has room. Exits: visiting, moving.
    case queued(DeliveryIndex)
    /// A node has the visit. Exits: moving, revoked.
    case visiting(DeliveryIndex)
    /// A node has the visit of an event that the policy no longer allows: the node may end the
    /// event, but no other responder is asked. Exits: rejected.
    indirect case revoked(DeliveryIndex, Failure)
    /// The visit of a revoked event has ended. Exits: the outcome.
    indirect case rejected(Failure)
    /// Waits for a responder to come. Exits: moving.
    case parked(Reason)

    /// Why an event is parked.
    enum Reason: Sendable {
        /// It is held, as its origin wished, until its hold time has passed.
        case held
        /// The daemon has restarted, and the previous daemon's nodes may reattach.
        case awaitingReattach
    }
}
