// SPDX-License-Identifier: Apache-2.0

import BasicContainers

/// Records under numbers that are reused after they are freed.
///
/// An index carries a generation, which distinguishes it from its successors.
package struct Slab<Record>: ~Copyable {
    /// Stands for one record as long as that is there, and for no other later.
    package struct Index: Hashable, Sendable {
        private let place: UInt32
        fileprivate let generation: UInt32

        /// Only slabs make indices, and tests that need one without a record.
        init(_ place: UInt32, generation: UInt32) {
            self.place = place
            self.generation = generation
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(id)
        }

        /// Dictionaries by nodes are read for each value of a reader. An integer is hashed in one step, which
        /// takes half the time of a hasher that is fed with the same integer.
        package func _rawHashValue(seed: Int) -> Int {
            id._rawHashValue(seed: seed)
        }
    }

    /// The position of a record, without its generation: half the size of an index, for links that
    /// are removed before their records.
    struct Slot: Hashable, Sendable {
        fileprivate let place: UInt32

        /// Stands for no record.
        static var none: Self {
            Self(place: .max)
        }
    }

    struct Entry {
        var generation: UInt32
        /// The next free entry, where this one is free; ``live`` where it has a record.
        var next: UInt32
        var record: Record

        var isLive: Bool {
            next == live
        }

        mutating func free(before next: UInt32) {
            self.next = next
            generation &+= 1
        }
    }

    /// Stands for no entry.
    private static var none: UInt32 { .max }
    private static var live: UInt32 { .max - 1 }

    private var entries = UniqueArray<Entry>()
    /// The entry that was freed last, in front of the others that are free.
    private var firstFree = none
    private var freeCount = 0

    /// How many records there are.
    var count: Int {
        entries.count - freeCount
    }

    /// One more than the greatest number that a record has or had.
    var slotCount: Int {
        entries.count
    }

    /// Inserts a record, reusing a freed one, so that its arrays keep their capacity.
    mutating func insert(
        _ blank: @autoclosure () -> Record, reuse: (inout Record) -> Void
    ) -> Index {
        let index = take(blank())
        reuse(&entries[index.slot].record)
        return index
    }

    /// Makes a record, or takes a freed one as it was left.
    mutating func take(_ blank: @autoclosure () -> Record) -> Index {
        let number = firstFree
        if number != Self.none {
            let slot = Int(number)
            firstFree = entries[slot].next
            freeCount -= 1
            entries[slot].next = Self.live
            return Index(number, generation: entries[slot].generation)
        }
        entries.append(
            Entry(generation: Index.firstGeneration, next: Self.live, record: blank()))
        return Index(UInt32(entries.count - 1), generation: Index.firstGeneration)
    }

    mutating func remove(_ index: Index) {
        check(index)
        entries[index.slot].free(before: firstFree)
        firstFree = index.number
        freeCount += 1
    }

    /// The record of an index. An index of a removed record is a fault of the broker: peers send
    /// numbers, which ``index(ofNumber:)`` checks.
    subscript(index: Index) -> Record {
        _read {
            check(index)
            yield entries[index.slot].record
        }
        _modify {
            check(index)
            yield &entries[index.slot].record
        }
    }

    private func check(_ index: Index) {
        // Freeing a record advances its generation, so the index of a live record has the current
        // one.
        precondition(
            entries[index.slot].generation == index.generation,
            "the record of this index has been freed")
    }

    /// Whether the record of this index is still there.
    func contains(_ index: Index) -> Bool {
        index.slot < entries.count && entries[index.slot].isLive
            && entries[index.slot].generation == index.generation
    }

    /// Returns the index of the record with this number; `nil` if there is none.
    func index(ofNumber number: UInt32) -> Index? {
        guard number < entries.count, entries[Int(number)].isLive else {
            return nil
        }
        return Index(number, generation: entries[Int(number)].generation)
    }

    /// The record that a link leads to; none if it leads to none.
    func index(at slot: Slot) -> Index {
        guard slot != Slot.none else {
            return Index.none
        }
        let entry = Int(slot.place)
        precondition(entries[entry].isLive, "the record of this link has been freed")
        return Index(slot.place, generation: entries[entry].generation)
    }

    /// The index that this ID stands for; `nil` if its record is gone.
    func index(ofID id: UInt64) -> Index? {
        let index = Index(
            UInt32(truncatingIfNeeded: id), generation: UInt32(truncatingIfNeeded: id >> 32))
        return contains(index) ? index : nil
    }

    /// All records, in the order of their slots.
    var indices: [Index] {
        entries.indices.filter { entries[$0].isLive }.map {
            Index(UInt32($0), generation: entries[$0].generation)
        }
    }
}

extension Slab.Index {
    /// Stands for no record. No slab contains it, for no record has the generation 0.
    static var none: Self {
        Self(.max, generation: 0)
    }

    /// The first record of a slab, if it has never been freed.
    static var first: Self {
        Self(0, generation: firstGeneration)
    }

    fileprivate static var firstGeneration: UInt32 { 1 }

    /// The position of the record in its slab, and of its entries in parallel arrays.
    var slot: Int {
        Int(place)
    }

    /// The number of the record in messages: its slot. For ``none``, the number that stands for no
    /// node in a header.
    var number: UInt32 {
        place
    }

    /// The form in which a link to the record is stored.
    var link: Slab.Slot {
        Slab.Slot(place: place)
    }

    /// Slot and generation in one.
    var id: UInt64 {
        UInt64(generation) << 32 | UInt64(place)
    }
}

extension Slab.Index: Comparable {
    /// In the order of slots, which those that are there at the same time do not share.
    package static func < (left: Self, right: Self) -> Bool {
        (left.place, left.generation) < (right.place, right.generation)
    }
}

/// A number of one table that is not a slab; numbers of different tables are different types.
///
/// It has no generation. The numbers of names and keys are reused only after a search has found
/// that no record and no connection refers to them, and those of accounts never. The records of a
/// slab, in contrast, end while messages with their numbers are on the way.
struct TableIndex<Table>: Hashable, Sendable {
    /// The number itself, as messages have it.
    let number: UInt32

    init(_ number: UInt32) {
        self.number = number
    }

    /// The position of its entries in arrays.
    var slot: Int {
        Int(number)
    }

    /// As fast as that of the number itself.
    func _rawHashValue(seed: Int) -> Int {
        number._rawHashValue(seed: seed)
    }
}

extension TableIndex: Comparable {
    static func < (left: Self, right: Self) -> Bool {
        left.number < right.number
    }
}

typealias NameIndex = TableIndex<NameTable>
typealias KeyIndex = TableIndex<KeyTable>
typealias AccountIndex = TableIndex<AccountTable>

extension TableIndex<NameTable> {
    /// Stands for a name without a number. Only responders to every name match it.
    static var none: Self {
        Self(0)
    }
}
