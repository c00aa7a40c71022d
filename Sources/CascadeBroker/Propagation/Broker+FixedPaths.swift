// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The path of an event is fixed at the moment of its trigger: if a move takes its start to another
/// place, the event continues as if nothing had been moved.
///
/// Usually the path is the tree's and costs nothing. Before a move, the path is stored for those
/// events that start in the moved subtree.
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
    @inline(__always)
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

    /// Returns the next matching responder of an event whose path is stored, apart from its
    /// predicate.
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
