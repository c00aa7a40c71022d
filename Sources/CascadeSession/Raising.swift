// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The content of an event or publication, as its origin passes it to the session.
package struct Raising: Sendable {
    package var name: EventName
    package var payload: [UInt8]
    /// The content type of the payload; `nil` for JSON.
    package var contentType: String?
    package var attributes: [Attribute]
    /// The message and title of a reported error, for people.
    package var message: String?
    package var title: String?

    package init(
        name: EventName, payload: [UInt8], contentType: String? = nil,
        attributes: [Attribute] = [], message: String? = nil, title: String? = nil
    ) {
        self.name = name
        self.payload = payload
        self.contentType = contentType
        self.attributes = attributes
        self.message = message
        self.title = title
    }
}

// MARK: - Options

/// The options of a raised message or a publication.
package struct RaiseOptions: Sendable {
    package enum Direction: Sendable {
        /// Up the tree, to the responders of a lane.
        case upward(Lane)
        /// Down the tree, to subscribers.
        case down(PublishingDestination)

        /// Up the tree in the event lane.
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
    /// The `HeaderFlags` that the origin sets.
    package var flags: HeaderFlags
    /// The time for which an unhandled message is held, in milliseconds; 0 to not hold it.
    package var holdMilliseconds: UInt32 = 0
    /// The message on the bus that caused this one; `nil` for none.
    package var cause: Cause?
    /// The trace and span of the message; `nil` for those of its cause.
    package var traceParent: TraceParent?
    /// The undelivered event that this message triggers again.
    package var retried: EventID?
    /// The message of another bus that the origin raises on this one.
    package var foreign: ForeignMessage?

    package init(
        _ direction: Direction, from origin: Origin, deadlineMilliseconds: UInt32 = 0,
        flags: HeaderFlags = []
    ) {
        self.direction = direction
        self.origin = origin
        self.deadlineMilliseconds = deadlineMilliseconds
        self.flags = flags
    }

    /// Whether the message is a durable event. For publications the same flag means retained.
    package var isDurable: Bool {
        if case .upward = direction { flags.contains(.durable) } else { false }
    }

    /// The path that stands for the origin if the origin has no number: that of an outsider, or the
    /// parent of a detached node, so that the node's events still start at the same responder.
    var outsiderPath: NodePath {
        if case .node(let path) = origin, case .upward = direction, !flags.contains(.includingSelf)
        {
            return path.parent ?? .root
        }
        return origin.path
    }
}

/// A message of another bus, which a node of this session raises on this one.
package struct ForeignMessage: Sendable {
    package var raisedAs: RaisedAs
    /// The path of the origin, as this bus names it.
    package var origin: NodePath
    /// The event or publication that caused it, and the length of its chain of causes.
    package var cause: EventID?
    package var causes: UInt16
    /// Where a reported error began and what led to it; `nil` for any other message.
    package var failure: Failure?
    /// The subscribers that a publication is for, in place of its destination; `nil` for any other message.
    package var reach: Reach?

    package init(
        _ raisedAs: RaisedAs, from origin: NodePath, cause: EventID? = nil, causes: UInt16 = 0,
        failure: Failure? = nil, reach: Reach? = nil
    ) {
        self.raisedAs = raisedAs
        self.origin = origin
        self.cause = cause
        self.causes = causes
        self.failure = failure
        self.reach = reach
    }
}

/// The event or publication that caused another message.
package struct Cause: Hashable, Sendable {
    package var id: EventID
    /// The length of its own chain of causes.
    package var depth: UInt16
    /// The trace and span of the cause. Messages that it causes belong to them too.
    package var traceParent: TraceParent?

    package init(id: EventID, depth: UInt16, traceParent: TraceParent? = nil) {
        self.id = id
        self.depth = depth
        self.traceParent = traceParent
    }

    /// The length of the chain of causes of a message with this cause.
    var depthOfEffect: UInt16 {
        depth == .max ? .max : depth + 1
    }
}

// MARK: - Messages in flight

/// The raised messages without an outcome, by their sequence numbers. The session sends them again on a new
/// connection.
struct InFlightWindow: Sendable {
    struct Entry: Sendable {
        var raising: Raising
        var options: RaiseOptions
        /// Whether the message is a request whose cancellation has been sent.
        var isCancelled = false
        /// Whether the message is not to be sent on another connection.
        var isGivenUp = false
    }

    private var entries: [UInt64: Entry] = [:]

    mutating func insert(_ entry: Entry, at sequence: UInt64) {
        entries[sequence] = entry
    }

    /// Removes an entry. Returns `false` if no entry has this number.
    mutating func remove(_ sequence: UInt64) -> Bool {
        entries.removeValue(forKey: sequence) != nil
    }

    /// Returns the entry with a number; `nil` if there is none.
    func entry(_ sequence: UInt64) -> Entry? {
        entries[sequence]
    }

    /// Marks the message as cancelled, if it has not ended.
    mutating func cancel(_ sequence: UInt64) {
        entries[sequence]?.isCancelled = true
    }

    /// Marks the message as given up, if it has not ended.
    mutating func giveUp(_ sequence: UInt64) {
        entries[sequence]?.isGivenUp = true
    }

    mutating func setDeadline(of sequence: UInt64, milliseconds: UInt32) {
        entries[sequence]?.options.deadlineMilliseconds = milliseconds
    }

    /// Changes the origin of messages after a move of their node.
    mutating func move(_ old: NodePath, to new: NodePath) {
        for (sequence, entry) in entries where entry.options.origin == .node(old) {
            entries[sequence]?.options.origin = .node(new)
        }
    }

    /// All entries, in the order in which they were raised.
    var all: [(sequence: UInt64, entry: Entry)] {
        entries.sorted { $0.key < $1.key }.map { (sequence: $0.key, entry: $0.value) }
    }
}
