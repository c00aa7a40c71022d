// SPDX-License-Identifier: Apache-2.0

/// The events under way: their records, and the machines that know where each of them is found.
struct EventTable: ~Copyable {
    private var records = Slab<Propagation>()
    /// By the session that receives their outcomes.
    private var underWay = OwnedLists<SessionTable.Record, Propagation>()
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

    /// Returns the events for whose outcomes the session waits, in the order of their slots.
    func events(of session: SessionIndex) -> [EventIndex] {
        underWay.records(of: session).sorted()
    }

    /// Forgets the session before its number is given to another one.
    mutating func forget(_ session: SessionIndex) {
        underWay.removeAll(of: session)
    }
}

/// The paths of the events under way: the events that started at each place, and every place on a
/// stored path.
struct PathIndex: ~Copyable {
    private var starts = OwnedLists<NodeRecord, Propagation>()
    /// The places on the paths that are no longer the tree's, from the start to the root.
    private var fixed: [EventIndex: [NodeIndex]] = [:]

    @inline(__always)
    mutating func insert(_ event: EventIndex, at place: NodeIndex) {
        starts.insert(event, of: place)
    }

    mutating func remove(_ event: EventIndex) {
        starts.remove(event)
    }

    /// The events that started at the place, those that came last first.
    func events(at place: NodeIndex) -> [EventIndex] {
        starts.records(of: place)
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
