// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// What is to happen to an event or publication that is raised.
package struct RaiseOptions: Sendable {
    package enum Direction: Sendable {
        /// Up, to the nearest responders of a lane.
        case upward(Lane)
        /// Down, to subscribers.
        case down(PublishingDestination)

        /// Up in the lane of events.
        package static var up: Direction { .upward(.event) }
    }

    /// Who raises it.
    package enum Origin: Sendable, Equatable {
        /// A node of this session, by its path.
        case node(NodePath)
        /// Nobody in the tree: it is raised as a child of this path would, or published there.
        case outsider(NodePath)

        package var path: NodePath {
            switch self {
            case .node(let path), .outsider(let path): path
            }
        }
    }

    package var direction: Direction
    package var origin: Origin
    /// In milliseconds; 0 for the bus's default.
    package var deadlineMilliseconds: UInt32
    /// ``HeaderFlags`` that its sender decides on.
    package var flags: HeaderFlags
    /// For how long it is to be held when nobody handles it, in milliseconds; 0 for not at all.
    package var holdMilliseconds: UInt32 = 0
    /// What brought it about, if anything on the bus did.
    package var cause: Cause?
    /// What it is raised within, if its cause does not say so already.
    package var traceParent: TraceParent?
    /// The undelivered event that is to be raised again, in place of a new one.
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

    /// Whether it is to survive the daemon. Of a publication, the flag means something else.
    package var isDurable: Bool {
        if case .upward = direction { flags.contains(.durable) } else { false }
    }

    /// From where it is raised if its origin has no number: by an outsider, or by a node that is no
    /// longer in the tree, whose events start where they would have started.
    var outsiderPath: NodePath {
        if case .node(let path) = origin, case .upward = direction, !flags.contains(.includingSelf)
        {
            return path.parent ?? .root
        }
        return origin.path
    }
}
