// SPDX-License-Identifier: Apache-2.0

/// The publications under way, and the machines that know who gets them.
struct PublicationTable {
    private var records = Slab<Publication>()
    /// By the session that is told how they end.
    private var underWay = UnderWayIndex<Publication>()
    var subscribers = Subscribers()
    var retained = RetainedTable()

    var count: Int {
        records.count
    }

    var indices: [PublicationIndex] {
        records.indices
    }

    subscript(publication: PublicationIndex) -> Publication {
        _read { yield records[publication] }
        _modify { yield &records[publication] }
    }

    func contains(_ publication: PublicationIndex) -> Bool {
        records.contains(publication)
    }

    /// Makes a record from what a freed one left, so that arrays inside keep their capacity.
    mutating func insert(reuse: (inout Publication) -> Void) -> PublicationIndex {
        records.insert(Publication(), reuse: reuse)
    }

    mutating func remove(_ publication: PublicationIndex) {
        underWay.remove(publication)
        records.remove(publication)
    }

    // MARK: - By session

    /// The session waits for the outcome of the publication.
    mutating func note(_ publication: PublicationIndex, of session: SessionIndex) {
        underWay.insert(publication, of: session)
    }

    /// The publications for whose outcomes the session waits.
    func publications(of session: SessionIndex) -> [PublicationIndex] {
        underWay.records(of: session, in: records)
    }

    /// The number of the session is about to be given to another one.
    mutating func forget(_ session: SessionIndex) {
        underWay.removeAll(of: session)
    }
}
