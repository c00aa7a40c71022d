// SPDX-License-Identifier: Apache-2.0

/// The events under way: their records, and the machines that know where each of them is found.
struct EventTable {
    private var records = Slab<Propagation>()
    /// By the session that is told how they end.
    private var underWay = UnderWayIndex<Propagation>()
    /// By the places that they started from.
    var paths = PathIndex()
    /// Those that wait for a responder to come.
    var parking = Parking()
    /// What predicates have read of the event that was asked about last.
    var lastFacts = LastFacts()
    var router = Router()
    /// Those that sessions died with.
    var suspects = SuspectTable()

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
    mutating func take() -> EventIndex {
        records.take(Propagation())
    }

    mutating func remove(_ event: EventIndex) {
        underWay.remove(event)
        records.remove(event)
    }

    // MARK: - By session

    /// The session waits for the outcome of the event.
    mutating func note(_ event: EventIndex, of session: SessionIndex) {
        underWay.insert(event, of: session)
    }

    /// The events for whose outcomes the session waits.
    func events(of session: SessionIndex) -> [EventIndex] {
        underWay.records(of: session, in: records)
    }

    /// The number of the session is about to be given to another one.
    mutating func forget(_ session: SessionIndex) {
        underWay.removeAll(of: session)
    }
}
