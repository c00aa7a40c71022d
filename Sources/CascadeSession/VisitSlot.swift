// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The progress of a visit or delivery in this session. It holds plain numbers: ``VisitTable``
/// holds the message and further stops separately, so that access needs no reference counting.
struct VisitSlot: Sendable {
    enum State: Sendable {
        case free
        /// It waits for its node.
        case waiting
        case running
        /// Its connection or node is gone, and its result is not sent.
        case forgotten
    }

    var state = State.free
    var header = Header(.visit)
    /// The session of the origin, if the daemon has defined it.
    var session: SessionIdentity?
    /// The stop that runs or waits.
    var stop = Itinerary.Stop(node: Header.noNode, responder: 0)
    /// The index of the stop in the itinerary.
    var stopIndex = 0
    /// The node of the itinerary's first stop, to which the daemon attributes the visit.
    var firstNode = Header.noNode
    /// The mailbox of the stop's node.
    var mailbox = 0
    /// Whether the accept has been sent to the daemon.
    var isAccepted = false

    /// Whether the origin no longer waits for the result.
    var isCancelled = false
    /// The redelivery that waits for this visit's result.
    var joined: UInt32?

    /// Whether the daemon expects a verdict.
    var isAcknowledged: Bool {
        !header.flags.contains(.unacknowledged)
    }

    var isPublication: Bool {
        header.command == .delivery
    }
}
