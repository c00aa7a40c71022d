// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The path of an event is fixed at the moment of its trigger: where a move takes its start away,
/// the event goes on as if nothing had been moved.
///
/// Mostly the path is the tree's and costs nothing. A move writes it down for those events whose
/// start it takes along, before it changes anything.
extension Broker {
    mutating func fixPaths(ofEventsFrom node: NodeIndex) {
        for event in eventsThatStarted(atOrBelow: [node])
        where traffic.events.paths.fixedPath(of: event) == nil {
            var path: [NodeIndex] = []
            var place = traffic.events[event].start
            while place != NodeIndex.none {
                path.append(place)
                hierarchy[place].pin()
                place = hierarchy.parent(of: place)
            }
            traffic.events.paths.fix(event, path)
        }
    }

    /// The event has ended.
    mutating func unfixPath(of event: EventIndex) {
        guard let path = traffic.events.paths.unfix(event) else {
            return
        }
        for place in path {
            unpinNode(place)
        }
    }

    /// The place above another one, on the event's path; ``Slab/Index/none`` above the root.
    func place(above place: NodeIndex, of event: EventIndex) -> NodeIndex {
        guard let path = traffic.events.paths.fixedPath(of: event),
            let index = path.firstIndex(of: place)
        else {
            return hierarchy.parent(of: place)
        }
        return index + 1 < path.count ? path[index + 1] : NodeIndex.none
    }

    /// Whether the event comes, or came, by this place.
    func isOnPath(_ node: NodeIndex, of event: EventIndex) -> Bool {
        traffic.events.paths.fixedPath(of: event)?.contains(node)
            ?? hierarchy.isAtOrBelow(traffic.events[event].start, node)
    }

    /// The next responder that matches on the way of an event whose path is not the tree's,
    /// whatever its predicate says.
    func candidateOnFixedPath(
        of event: EventIndex, at place: NodeIndex, from cursor: UInt16
    ) -> Stop? {
        let name = traffic.events[event].message.name
        let lane = traffic.events[event].lane
        var place = place
        var cursor = cursor
        while place != NodeIndex.none {
            if let stop = Router.stop(for: name, lane, at: place, from: cursor, in: hierarchy) {
                return stop
            }
            place = self.place(above: place, of: event)
            cursor = 0
        }
        return nil
    }
}
