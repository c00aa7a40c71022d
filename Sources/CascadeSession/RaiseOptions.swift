// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The options of a message that is raised or published.
package struct RaiseOptions: Sendable {
    package enum Direction: Sendable {
        /// Up, to the nearest responders of a lane.
        case upward(Lane)
        /// Down, to subscribers.
        case down(PublishingDestination)

        /// Up in the event lane.
        package static var up: Direction { .upward(.event) }
    }

    /// The origin of a message.
    package enum Origin: Sendable, Equatable {
        /// A node of this session, by its path.
        case node(NodePath)
        /// A program outside the tree. The message is raised as a child of this path would raise
        /// it, or published at this path.
        case outsider(NodePath)

        package var path: NodePath {
            switch self {
            case .node(let path), .outsider(let path): path
            }
        }
    }

    package var direction: Direction
    package var origin: Origin
    /// The deadline in milliseconds; 0 for the bus's default.
    package var deadlineMilliseconds: UInt32
    /// The ``HeaderFlags`` that the origin sets.
    package var flags: HeaderFlags
    /// The time for which an unhandled message is held, in milliseconds; 0 to not hold it.
    package var holdMilliseconds: UInt32 = 0
    /// The cause of the message, if it is a message on the bus.
    package var cause: Cause?
    /// The trace and span of the message; with `nil`, those of its cause.
    package var traceParent: TraceParent?
    /// The undelivered event that is raised again.
    package var retried: EventID?

    package init(
        _ direction: Direction, from origin: Origin, deadlineMilliseconds: UInt32 = 0,
        flags: HeaderFlags = []
    ) {
        self.direction = direction
        self.origin = origin
        self.deadlineMilliseconds = deadlineMilliseconds
        self.flags = flags
    }

    /// Whether the message survives a restart of the daemon. The flag has another meaning for
    /// publications.
    package var isDurable: Bool {
        if case .upward = direction { flags.contains(.durable) } else { false }
    }

    /// The path from which the message is raised if its origin has no number: that of an outsider,
    /// or that of a node that has left the tree, whose events still start at the same responder.
    var outsiderPath: NodePath {
        if case .node(let path) = origin, case .upward = direction, !flags.contains(.includingSelf)
        {
            return path.parent ?? .root
        }
        return origin.path
    }
}
