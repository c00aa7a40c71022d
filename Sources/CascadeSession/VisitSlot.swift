// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A visit or delivery in this session's hands, from its arrival to its end: the message as it came,
/// and how far it has got. Nothing in it is interpreted before somebody asks.
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
    var message: [UInt8] = []
    var firstStop = Itinerary.Stop(node: Header.noNode, responder: 0)
    /// The mailbox of the node of the stop that is at work or waits.
    var mailbox = 0
    /// Stops after the first.
    var furtherStops: [Itinerary.Stop] = []
    /// Which stop is at work or waits.
    var stopIndex = 0
    /// Whether the daemon has been told that the node has begun.
    var isAccepted = false

    var stop: Itinerary.Stop {
        stopIndex == 0 ? firstStop : furtherStops[stopIndex - 1]
    }

    var hasFurtherStop: Bool {
        stopIndex < furtherStops.count
    }

    /// Whether a verdict is expected.
    var isAcknowledged: Bool {
        !header.flags.contains(.unacknowledged)
    }

    var isPublication: Bool {
        header.command == .delivery
    }
}
