// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// Checks that events of one origin reach a node in the order in which they were triggered, regardless
/// of their names, lanes and flags, durable or not.
///
/// Events are compared at their first node only, because the nodes that an event visits delay it.
/// Excluded are events that waited while the tree on their way changed, events that are retried or reach
/// their deadline, and events that the origin may have sent again.
struct OrderOracle {
    private struct Raised {
        var origin: NodePath
        var name: EventName
        var lane: Lane
        var epoch: Int
        /// The event's deadline. A node that has not answered by then is skipped, so the event may overtake
        /// others there.
        var deadline: Instant
        /// The number of changes of the tree when the daemon received the event.
        var changeCount: Int?
        /// The first node that the event was sent to.
        var first: NodePath?
    }

    /// The events of one origin at one node, over one connection of the origin.
    private struct Stream: Hashable {
        var session: SessionID
        var node: NodePath
        var origin: NodePath
        var originSession: SessionID
        var epoch: Int
    }

    private struct Begun: Hashable {
        var session: SessionID
        var event: EventID
    }

    private var raised: [EventID: Raised] = [:]
    /// The number of changes of the tree so far.
    private var changeCount = 0
    /// The number of the latest change at each path.
    private var changes: [NodePath: Int] = [:]
    /// The number of the latest change that may have concerned any path.
    private var lastChangeAnywhere = 0
    /// The events that have reached their first node. They may reach it again for another responder.
    private var begun: Set<Begun> = []
    private var last: [Stream: UInt64] = [:]

    mutating func raised(
        _ event: EventID, _ raising: Raising, _ options: RaiseOptions, epoch: Int,
        deadline: Instant
    ) {
        guard case .upward(let lane) = options.direction, options.retried == nil else {
            return
        }
        raised[event] = Raised(
            origin: options.origin.path, name: raising.name, lane: lane, epoch: epoch,
            deadline: deadline)
    }

    /// Records that a node at the path attached, changed its responders or left: events that waited there
    /// may continue, and held events may start again.
    mutating func changed(at path: NodePath) {
        changeCount += 1
        changes[path] = changeCount
    }

    /// Records that an administrator may have moved, drained or detached nodes.
    mutating func changedAnywhere() {
        changeCount += 1
        lastChangeAnywhere = changeCount
    }

    /// Records that the daemon has received the event.
    mutating func received(_ event: EventID) {
        if raised[event]?.changeCount == nil {
            raised[event]?.changeCount = changeCount
        }
    }

    /// Excludes an event that is retried and starts again.
    mutating func exempt(_ event: EventID) {
        raised[event] = nil
    }

    /// Records that the daemon sends the event to a node.
    mutating func sent(_ event: EventID, to node: NodePath) {
        guard let known = raised[event], known.first == nil else {
            return
        }
        if hasChanged(from: known.origin, to: node, since: known.changeCount ?? changeCount) {
            raised[event] = nil
        } else {
            raised[event]?.first = node
        }
    }

    /// Whether the tree has changed between the origin and the node, both included.
    private func hasChanged(from origin: NodePath, to node: NodePath, since count: Int) -> Bool {
        guard lastChangeAnywhere <= count else {
            return true
        }
        var path: NodePath? = origin
        while let current = path, current.depth >= node.depth {
            if changes[current] ?? 0 > count {
                return true
            }
            path = current.parent
        }
        return false
    }

    /// Records that a node begins to work on a visit. Returns a finding if a later event of the same origin
    /// has been at the node before.
    mutating func begun(
        _ visit: Visit, in session: SessionID, epoch: Int, at now: Instant
    ) -> Finding? {
        guard let known = raised[visit.id], known.first == visit.node, known.epoch == epoch,
            now < known.deadline, known.name == visit.name, known.lane == visit.lane,
            begun.insert(Begun(session: session, event: visit.id)).inserted
        else {
            return nil
        }
        let stream = Stream(
            session: session, node: visit.node, origin: known.origin,
            originSession: visit.id.session, epoch: epoch)
        let before = last[stream] ?? 0
        last[stream] = max(before, visit.id.sequence)
        guard before > visit.id.sequence else {
            return nil
        }
        return Finding(
            "order", "\(visit.node) gets #\(visit.id.sequence) of \(known.origin) after #\(before)",
            event: visit.id)
    }
}
