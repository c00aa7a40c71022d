// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// How far a visit or delivery in this session's hands has got. Plain numbers: the message and the
/// stops still to come are beside it in ``VisitTable``, so that looking here counts no references.
struct VisitSlot: Sendable {
    enum State: Sendable {
        case free
        /// It waits for its node.
        case waiting
        case running
        /// The connection it came by is gone, and its result goes nowhere.
        case forgotten
    }

    var state = State.free
    var header = Header(.visit)
    /// The session that raised what it is about, if the daemon has said which that is.
    var session: SessionIdentity?
    /// The stop that is at work or waits.
    var stop = Itinerary.Stop(node: Header.noNode, responder: 0)
    /// Its place in the itinerary.
    var stopIndex = 0
    /// The node of the itinerary's first stop: the one that the daemon counts the visit for.
    var firstNode = Header.noNode
    /// The mailbox of the stop's node.
    var mailbox = 0
    /// Whether the daemon has been told that the node has begun.
    var isAccepted = false

    /// Whether whoever raised it no longer waits.
    var isCancelled = false
    /// The visit that waits for this one's result, being about the same.
    var joined: UInt32?

    /// Whether a verdict is expected.
    var isAcknowledged: Bool {
        !header.flags.contains(.unacknowledged)
    }

    var isPublication: Bool {
        header.command == .delivery
    }
}
