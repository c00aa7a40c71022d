// SPDX-License-Identifier: Apache-2.0

import BasicContainers

/// The events under way: their records, and the machines that know where each of them is found.
struct EventTable: ~Copyable {
    private var records = Slab<Propagation>()
    /// By the session that receives their outcomes.
    private var underWay = UnderWayIndex<Propagation>()
    /// By the places that they started from.
    var paths = PathIndex()
    /// Those that wait for a responder to come.
    var parking = Parking()
    /// The predicate values of the event tested last.
    var lastPredicateValues = LastPredicateValues()
    var router = Router()
    /// Those during which sessions ended.
    var quarantine = QuarantineTable()

    var count: Int {
        records.count
    }

    var indices: [EventIndex] {
        records.indices
    }

    subscript(event: EventIndex) -> Propagation {
        _read { yield records[event] }
        _modify { yield &records[event] }
    }

    func contains(_ event: EventIndex) -> Bool {
        records.contains(event)
    }

    /// Makes a record, or takes a freed one as it was left.
    @inline(__always)
    mutating func take() -> EventIndex {
        records.take(Propagation())
    }

    @inline(__always)
    mutating func remove(_ event: EventIndex) {
        underWay.remove(event)
        records.remove(event)
    }

    // MARK: - By session

    /// The session waits for the outcome of the event.
    @inline(__always)
    mutating func track(_ event: EventIndex, of session: SessionIndex) {
        underWay.insert(event, of: session)
    }

    /// Returns the events for whose outcomes the session waits.
    func events(of session: SessionIndex) -> [EventIndex] {
        underWay.records(of: session, in: records)
    }

    /// Forgets the session before its number is given to another one.
    mutating func forget(_ session: SessionIndex) {
        underWay.removeAll(of: session)
    }
}

/// The paths of the events under way: the events that started at each place, and every place on a
/// stored path.
///
/// Adding and removing an event takes constant time and, in the steady state, no memory: the events
/// of a place are a list linked through the events' slots.
struct PathIndex: ~Copyable {
    /// The event that came to a place last, by the place's slot.
    private var last = UniqueArray<EventIndex>()
    struct Links {
        var before = EventIndex.none
        var after = EventIndex.none
    }

    /// The neighbours of each event, by its slot.
    private var links = UniqueArray<Links>()
    /// The places on the paths that are no longer the tree's, from the start to the root.
    private var fixed: [EventIndex: [NodeIndex]] = [:]

    @inline(__always)
    mutating func insert(_ event: EventIndex, at place: NodeIndex) {
        if last.count <= place.slot || links.count <= event.slot {
            grow(to: event, place)
        }
        let before = last[place.slot]
        if before != EventIndex.none {
            links[before.slot].after = event
        }
        links[event.slot] = Links(before: before)
        last[place.slot] = event
    }

    @inline(never)
    private mutating func grow(to event: EventIndex, _ place: NodeIndex) {
        while last.count <= place.slot {
            last.append(.none)
        }
        while links.count <= event.slot {
            links.append(Links())
        }
    }

    @inline(__always)
    mutating func remove(_ event: EventIndex, from place: NodeIndex) {
        let before = links[event.slot].before
        let after = links[event.slot].after
        if before != EventIndex.none {
            links[before.slot].after = after
        }
        if after == EventIndex.none {
            last[place.slot] = before
        } else {
            links[after.slot].before = before
        }
    }

    /// The events that started at the place, those that came last first.
    func events(at place: NodeIndex) -> [EventIndex] {
        var found: [EventIndex] = []
        var event = place.slot < last.count ? last[place.slot] : EventIndex.none
        while event != EventIndex.none {
            found.append(event)
            event = links[event.slot].before
        }
        return found
    }

    // MARK: - Fixed paths

    /// The events whose paths are stored.
    var fixedEvents: some Collection<EventIndex> {
        fixed.keys
    }

    /// The places on the event's path, from the start to the root; `nil` where the path is still
    /// the tree's.
    @inline(__always)
    func fixedPath(of event: EventIndex) -> [NodeIndex]? {
        fixed.isEmpty ? nil : fixed[event]
    }

    mutating func fix(_ event: EventIndex, _ path: [NodeIndex]) {
        fixed[event] = path
    }

    /// Removes and returns the path; `nil` where it was the tree's.
    @inline(__always)
    mutating func unfix(_ event: EventIndex) -> [NodeIndex]? {
        fixed.isEmpty ? nil : fixed.removeValue(forKey: event)
    }
}
