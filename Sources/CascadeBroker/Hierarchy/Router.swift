// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Finds the next responder on the way up, without walking past ancestors that have none.
///
/// Results are cached by starting place and name until the tree changes, in a table of fixed size
/// in which a new entry replaces one that collides with it. An ancestor without a matching
/// responder therefore costs nothing in the steady state, however many there are.
struct Router {
    private struct Entry {
        var version: UInt64
        var node: NodeIndex
        var name: NameIndex
        var lane: Lane
        /// The first stop; its node is none if there is no stop.
        var stop: Stop
    }

    private static let entryCount = 8192
    private var entries = [Entry](
        repeating: Entry(
            version: 0, node: NodeIndex.none, name: NameIndex.none, lane: .event, stop: .none),
        count: entryCount)

    /// The first stop for `name` in `lane` at `node` from its responder `cursor` on, or else above
    /// it. Predicates are not looked at.
    @inline(__always)
    mutating func nextStop(
        for name: NameIndex, _ lane: Lane, at node: NodeIndex, from cursor: UInt16,
        in hierarchy: borrowing Hierarchy
    ) -> Stop? {
        cursor == 0
            ? firstStop(for: name, lane, atOrAbove: node, in: hierarchy)
            : stopBehind(for: name, lane, at: node, from: cursor, in: hierarchy)
    }

    private mutating func stopBehind(
        for name: NameIndex, _ lane: Lane, at node: NodeIndex, from cursor: UInt16,
        in hierarchy: borrowing Hierarchy
    ) -> Stop? {
        if let stop = Self.stop(for: name, lane, at: node, from: cursor, in: hierarchy) {
            return stop
        }
        return firstStop(for: name, lane, atOrAbove: hierarchy.parent(of: node), in: hierarchy)
    }

    @inline(__always)
    private mutating func firstStop(
        for name: NameIndex, _ lane: Lane, atOrAbove start: NodeIndex,
        in hierarchy: borrowing Hierarchy
    ) -> Stop? {
        guard start != NodeIndex.none else {
            return nil
        }
        let place = Self.place(start, name, lane)
        let entry = entries[place]
        var stop = entry.stop
        if entry.version != hierarchy.version || entry.node != start || entry.name != name
            || entry.lane != lane
        {
            stop = findStop(for: name, lane, from: start, in: hierarchy, place)
        }
        return stop.node == NodeIndex.none ? nil : stop
    }

    /// Searches the first stop, and caches the result.
    private mutating func findStop(
        for name: NameIndex, _ lane: Lane, from start: NodeIndex, in hierarchy: borrowing Hierarchy,
        _ place: Int
    ) -> Stop {
        let stop = Self.walk(for: name, lane, from: start, in: hierarchy)
        entries[place] = Entry(
            version: hierarchy.version, node: start, name: name, lane: lane, stop: stop)
        return stop
    }

    private static func place(_ node: NodeIndex, _ name: NameIndex, _ lane: Lane) -> Int {
        let key = name.number | UInt32(lane.rawValue) << 30
        let mixed = (UInt64(node.number) << 32 | UInt64(key)) &* 0x9E37_79B9_7F4A_7C15
        return Int(mixed >> 51)
    }

    private static func walk(
        for name: NameIndex, _ lane: Lane, from start: NodeIndex, in hierarchy: borrowing Hierarchy
    ) -> Stop {
        var node = start
        while node != NodeIndex.none {
            if let stop = stop(for: name, lane, at: node, from: 0, in: hierarchy) {
                return stop
            }
            node = hierarchy.parent(of: node)
        }
        return .none
    }

    /// The first stop for `name` among the responders of one node.
    static func stop(
        for name: NameIndex, _ lane: Lane, at node: NodeIndex, from cursor: UInt16,
        in hierarchy: borrowing Hierarchy
    ) -> Stop? {
        guard hierarchy[node].isAvailable else {
            return nil
        }
        var index = Int(cursor)
        let count = hierarchy[node].responders.count
        while index < count {
            let responder = hierarchy[node].responders[index]
            if responder.matches(name, lane) {
                return Stop(node: node, responder: UInt16(index), kind: responder.kind)
            }
            index += 1
        }
        return nil
    }
}

/// One entry of a node's ordered list, as the broker matches it.
struct Responder: Equatable, Sendable {
    /// Stands for no predicate.
    static let always = UInt16.max

    var kind: ResponderKind
    /// The number of the name it responds to; ``NameTable/none`` for every name.
    var name: NameIndex
    /// The place of its predicate among its node's; ``always`` for none.
    var predicate = Responder.always
    private let lanes: UInt8

    init(kind: ResponderKind, name: NameIndex, predicate: UInt16 = Responder.always) {
        self.kind = kind
        self.name = name
        self.predicate = predicate
        lanes = Lane.allCases.filter { kind.sees($0) }.reduce(0) { $0 | 1 << $1.rawValue }
    }

    /// Whether it is asked only where a predicate is true.
    var isConditional: Bool {
        predicate != Self.always
    }

    /// Whether it responds to this name in this lane, apart from its predicate.
    func matches(_ name: NameIndex, _ lane: Lane) -> Bool {
        (self.name == NameIndex.none || self.name == name) && lanes >> lane.rawValue & 1 == 1
    }
}

/// A responder at a node: one place where an event can stop on its way.
struct Stop: Equatable, Sendable {
    /// Stands for no stop.
    static let none = Stop(node: NodeIndex.none, responder: 0, kind: .observe)

    var node: NodeIndex
    var responder: UInt16
    var kind: ResponderKind
}
