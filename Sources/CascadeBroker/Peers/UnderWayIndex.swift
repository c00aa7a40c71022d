// SPDX-License-Identifier: Apache-2.0

import BasicContainers

/// The events, or the publications, that each session has under way: a list for each session,
/// linked through the records' slots.
///
/// A session that ends, resumes or cancels a request visits its own records alone, whatever other
/// sessions have under way.
struct UnderWayIndex<Record>: ~Copyable {
    typealias Index = Slab<Record>.Index

    struct Links {
        /// The session in whose list the record is.
        var session = none
        var next = none
        var previous = none
    }

    /// Stands for no record and no session.
    private static var none: UInt32 { .max }

    /// By the place of the record.
    private var links = UniqueArray<Links>()
    /// The record that was added last, by the place of the session.
    private var heads = UniqueArray<UInt32>()

    /// Adds a record that is in no list.
    @inline(__always)
    mutating func insert(_ record: Index, of session: SessionIndex) {
        if links.count <= record.slot || heads.count <= session.slot {
            grow(to: record, session)
        }
        let next = heads[session.slot]
        links[record.slot] = Links(session: session.number, next: next)
        if next != Self.none {
            links[Int(next)].previous = record.number
        }
        heads[session.slot] = record.number
    }

    private mutating func grow(to record: Index, _ session: SessionIndex) {
        while links.count <= record.slot {
            links.append(Links())
        }
        while heads.count <= session.slot {
            heads.append(Self.none)
        }
    }

    /// Removes the record from its list, if it is in one.
    @inline(__always)
    mutating func remove(_ record: Index) {
        guard record.slot < links.count, links[record.slot].session != Self.none else {
            return
        }
        let removed = links[record.slot]
        if removed.next != Self.none {
            links[Int(removed.next)].previous = removed.previous
        }
        if removed.previous != Self.none {
            links[Int(removed.previous)].next = removed.next
        } else {
            heads[Int(removed.session)] = removed.next
        }
        links[record.slot] = Links()
    }

    /// The records of the session, in the order of their places.
    func records(of session: SessionIndex, in slab: borrowing Slab<Record>) -> [Index] {
        guard session.slot < heads.count else {
            return []
        }
        var numbers: [UInt32] = []
        var next = heads[session.slot]
        while next != Self.none {
            numbers.append(next)
            next = links[Int(next)].next
        }
        return numbers.sorted().compactMap { slab.index(ofNumber: $0) }
    }

    /// Empties the session's list before its number is given to another session.
    mutating func removeAll(of session: SessionIndex) {
        guard session.slot < heads.count else {
            return
        }
        var next = heads[session.slot]
        heads[session.slot] = Self.none
        while next != Self.none {
            let following = links[Int(next)].next
            links[Int(next)] = Links()
            next = following
        }
    }
}
