// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Finds the next responder on the way up, without walking past the ancestors that have none.
///
/// What it found is remembered by starting place and name until the tree changes, in a table of
/// fixed size where a newcomer takes the place of what collides with it. So an ancestor without a
/// matching responder costs nothing in the steady state, however many there are.
struct Router {
    private struct Entry {
        var version: UInt64
        var node: UInt32
        var name: UInt32
        var found: UInt32
    }

    private static let entryCount = 8192
    private var entries = [Entry](
        repeating: Entry(version: 0, node: 0, name: 0, found: 0), count: entryCount)

    /// The first stop for `name` at `node` from its responder `cursor` on, or else above it.
    mutating func nextStop(
        for name: UInt32, at node: UInt32, from cursor: UInt16, in hierarchy: borrowing Hierarchy
    ) -> Stop? {
        if cursor > 0 {
            if let stop = Self.stop(for: name, at: node, from: cursor, in: hierarchy) {
                return stop
            }
            return firstStop(for: name, atOrAbove: hierarchy[node].parent, in: hierarchy)
        }
        return firstStop(for: name, atOrAbove: node, in: hierarchy)
    }

    private mutating func firstStop(
        for name: UInt32, atOrAbove start: UInt32, in hierarchy: borrowing Hierarchy
    ) -> Stop? {
        guard start != Header.noNode else {
            return nil
        }
        let place = Self.place(start, name)
        let entry = entries[place]
        var found = entry.found
        if entry.version != hierarchy.version || entry.node != start || entry.name != name {
            found = Self.walk(for: name, from: start, in: hierarchy)
            entries[place] = Entry(
                version: hierarchy.version, node: start, name: name, found: found)
        }
        guard found != Header.noNode else {
            return nil
        }
        return Self.stop(for: name, at: found, from: 0, in: hierarchy)
    }

    private static func place(_ node: UInt32, _ name: UInt32) -> Int {
        let mixed = (UInt64(node) << 32 | UInt64(name)) &* 0x9E37_79B9_7F4A_7C15
        return Int(mixed >> 51)
    }

    private static func walk(
        for name: UInt32, from start: UInt32, in hierarchy: borrowing Hierarchy
    ) -> UInt32 {
        var node = start
        while node != Header.noNode {
            if stop(for: name, at: node, from: 0, in: hierarchy) != nil {
                return node
            }
            node = hierarchy[node].parent
        }
        return Header.noNode
    }

    /// The first stop for `name` among the responders of one node.
    static func stop(
        for name: UInt32, at node: UInt32, from cursor: UInt16, in hierarchy: borrowing Hierarchy
    ) -> Stop? {
        guard hierarchy[node].isAvailable else {
            return nil
        }
        var index = Int(cursor)
        let count = hierarchy[node].responders.count
        while index < count {
            let responder = hierarchy[node].responders[index]
            if responder.matches(name) {
                return Stop(node: node, responder: UInt16(index), kind: responder.kind)
            }
            index += 1
        }
        return nil
    }

    /// The stops that one visit can cover: `first`, and what follows it at nodes of the same peer,
    /// as long as the event would go on under the same name. The chain has the same result as one
    /// visit a stop.
    mutating func itinerary(
        from first: Stop, for name: UInt32, in hierarchy: borrowing Hierarchy,
        into stops: inout [Stop]
    ) {
        stops.removeAll(keepingCapacity: true)
        stops.append(first)
        let holder = hierarchy[first.node].holder
        var last = first
        while last.kind == .receive || last.kind == .observe, stops.count < Self.stopsMax {
            guard
                let next = nextStop(
                    for: name, at: last.node, from: last.responder + 1, in: hierarchy),
                hierarchy[next.node].holder == holder
            else {
                return
            }
            stops.append(next)
            last = next
        }
    }

    /// More stops than this go into a second visit.
    private static let stopsMax = 64
}
