// SPDX-License-Identifier: Apache-2.0

import BasicContainers

/// A list of records for each owner, linked through the slots of the records.
///
/// Adding and removing a record takes constant time and, in the steady state, no memory. A visit of
/// one owner's records takes no longer however many records other owners have.
struct OwnedLists<Owner, Record>: ~Copyable {
    typealias OwnerIndex = Slab<Owner>.Index
    typealias Index = Slab<Record>.Index

    struct Links {
        /// The owner of the list that has the record.
        var owner = OwnerIndex.none
        var next = Index.none
        var previous = Index.none
    }

    /// By the slot of the record.
    private var links = UniqueArray<Links>()
    /// The record that was added last, by the slot of the owner.
    private var heads = UniqueArray<Index>()

    /// Adds a record that is in no list.
    mutating func insert(_ record: Index, of owner: OwnerIndex) {
        while links.count <= record.slot {
            links.append(Links())
        }
        while heads.count <= owner.slot {
            heads.append(.none)
        }
        let next = heads[owner.slot]
        links[record.slot] = Links(owner: owner, next: next)
        if next != Index.none {
            links[next.slot].previous = record
        }
        heads[owner.slot] = record
    }

    /// Removes the record from its list, if it is in one.
    mutating func remove(_ record: Index) {
        guard record.slot < links.count, links[record.slot].owner != OwnerIndex.none else {
            return
        }
        let removed = links[record.slot]
        if removed.next != Index.none {
            links[removed.next.slot].previous = removed.previous
        }
        if removed.previous != Index.none {
            links[removed.previous.slot].next = removed.next
        } else {
            heads[removed.owner.slot] = removed.next
        }
        links[record.slot] = Links()
    }

    /// Empties the list of an owner before its number is given to another owner.
    mutating func removeAll(of owner: OwnerIndex) {
        for record in records(of: owner) {
            links[record.slot] = Links()
        }
        if owner.slot < heads.count {
            heads[owner.slot] = .none
        }
    }

    /// The records of the owner, the latest first.
    func records(of owner: OwnerIndex) -> [Index] {
        var found: [Index] = []
        var record = owner.slot < heads.count ? heads[owner.slot] : .none
        while record != Index.none {
            found.append(record)
            record = links[record.slot].next
        }
        return found
    }
}
