// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// Events of one origin, raised alike, reach any one node in the order in which they were raised:
/// whether they are durable makes no difference.
///
/// Only where nothing excuses another order: the node is the first that each was handed to, none
/// was held or late, and none had to be sent again or was raised again by hand.
struct OrderOracle {
    private struct Kind: Hashable {
        var origin: NodePath
        var name: EventName
        var lane: Lane
        var flags: UInt8
    }

    private struct Raised {
        var kind: Kind
        var epoch: Int
        /// Whoever has not answered by then is passed: the event may overtake others there.
        var deadline: Instant
        /// How often nodes had gone when the daemon heard of it. It may have waited for one of
        /// those that went since, where others did not have to.
        var departureCount = 0
        /// The first node that it was handed to.
        var first: NodePath?
    }

    private struct Place: Hashable {
        var session: SessionID
        var node: NodePath
        var kind: Kind
        var origin: SessionID
        var epoch: Int
    }

    private struct Begun: Hashable {
        var session: SessionID
        var event: EventID
    }

    private var raised: [EventID: Raised] = [:]
    /// How often nodes have gone from the tree.
    private var departureCount = 0
    /// What has come to the first node of it: it may come there again, for another responder.
    private var begun: Set<Begun> = []
    private var last: [Place: UInt64] = [:]

    mutating func raised(
        _ event: EventID, _ raising: Raising, _ options: RaiseOptions, epoch: Int,
        deadline: Instant
    ) {
        guard case .node(let path) = options.origin, case .upward(let lane) = options.direction,
            options.holdMilliseconds == 0
        else {
            return
        }
        let kind = Kind(
            origin: path, name: raising.name, lane: lane,
            flags: options.flags.subtracting(.durable).rawValue)
        raised[event] = Raised(kind: kind, epoch: epoch, deadline: deadline)
    }

    mutating func departed() {
        departureCount += 1
    }

    /// The daemon has the event.
    mutating func heard(_ event: EventID) {
        raised[event]?.departureCount = departureCount
    }

    /// The event may have to wait for somebody to come back, or somebody raises it once more.
    mutating func exempt(_ event: EventID) {
        raised[event] = nil
    }

    /// The daemon hands the event to a node.
    mutating func handed(_ event: EventID, to node: NodePath) {
        guard let known = raised[event], known.first == nil else {
            return
        }
        if known.departureCount == departureCount {
            raised[event]?.first = node
        } else {
            raised[event] = nil
        }
    }

    /// The node begins.
    mutating func begun(
        _ visit: Visit, in session: SessionID, epoch: Int, at now: Instant
    ) -> Finding? {
        guard let known = raised[visit.id], known.first == visit.node, known.epoch == epoch,
            now < known.deadline,
            known.kind.name == visit.name, known.kind.lane == visit.lane,
            begun.insert(Begun(session: session, event: visit.id)).inserted
        else {
            return nil
        }
        let place = Place(
            session: session, node: visit.node, kind: known.kind, origin: visit.id.session,
            epoch: epoch)
        let before = last.updateValue(visit.id.sequence, forKey: place) ?? 0
        guard before > visit.id.sequence else {
            return nil
        }
        last[place] = before
        return Finding(
            "order",
            "\(visit.node) gets #\(visit.id.sequence) of \(known.kind.origin) after #\(before)",
            event: visit.id)
    }
}
