// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// Events of one origin reach any node in the order in which they were triggered, whatever their
/// names, lanes and flags, durable or not.
///
/// Events are compared at their first node; after that, an event is delayed by the nodes that it
/// visits. Excluded are events that waited while the tree changed on their way, that are retried or
/// reach their deadline, and that the origin may have sent again.
struct OrderOracle {
    private struct Raised {
        var origin: NodePath
        var name: EventName
        var lane: Lane
        var epoch: Int
        /// A node that has not answered by then is skipped, so that the event may overtake others
        /// there.
        var deadline: Instant
        /// The number of changes of the tree when the daemon received the event.
        var changeCount: Int?
        /// The first node that the event was sent to.
        var first: NodePath?
    }

    private struct Place: Hashable {
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
    /// Counts attachments, departures, changes and moves of nodes.
    private var changeCount = 0
    /// The latest change at each path.
    private var changes: [NodePath: Int] = [:]
    /// The latest change that may have concerned any path.
    private var lastChangeAnywhere = 0
    /// Events that have reached their first node; they may reach it again for another responder.
    private var begun: Set<Begun> = []
    private var last: [Place: UInt64] = [:]

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

    /// A node at the path attached, changed its responders or left: events that waited there may
    /// continue, and held events may start again.
    mutating func changed(at path: NodePath) {
        changeCount += 1
        changes[path] = changeCount
    }

    /// An administrator moved, drained or detached nodes.
    mutating func changedAnywhere() {
        changeCount += 1
        lastChangeAnywhere = changeCount
    }

    /// The daemon has received the event.
    mutating func heard(_ event: EventID) {
        if raised[event]?.changeCount == nil {
            raised[event]?.changeCount = changeCount
        }
    }

    /// The event is retried and starts again.
    mutating func exempt(_ event: EventID) {
        raised[event] = nil
    }

    /// The daemon sends the event to a node.
    mutating func handed(_ event: EventID, to node: NodePath) {
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
        while let place = path, place.depth >= node.depth {
            if changes[place] ?? 0 > count {
                return true
            }
            path = place.parent
        }
        return false
    }

    /// The node begins to work on a visit.
    mutating func begun(
        _ visit: Visit, in session: SessionID, epoch: Int, at now: Instant
    ) -> Finding? {
        guard let known = raised[visit.id], known.first == visit.node, known.epoch == epoch,
            now < known.deadline, known.name == visit.name, known.lane == visit.lane,
            begun.insert(Begun(session: session, event: visit.id)).inserted
        else {
            return nil
        }
        let place = Place(
            session: session, node: visit.node, origin: known.origin,
            originSession: visit.id.session, epoch: epoch)
        let before = last[place] ?? 0
        last[place] = max(before, visit.id.sequence)
        guard before > visit.id.sequence else {
            return nil
        }
        return Finding(
            "order", "\(visit.node) gets #\(visit.id.sequence) of \(known.origin) after #\(before)",
            event: visit.id)
    }
}
