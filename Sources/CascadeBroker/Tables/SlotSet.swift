// SPDX-License-Identifier: Apache-2.0

import BitCollections

/// An index of a table. Its slot is the position of the record.
protocol TableSlot {
    var slot: Int { get }
}

extension Slab.Index: TableSlot {}
extension TableIndex: TableSlot {}

/// Some entries of one table, in one bit for each slot of the pages that have entries: each peer has such
/// sets of tables with a million records.
struct SlotSet<Index: TableSlot>: Sendable {
    private static var slotsPerPage: Int { 4_096 }

    private var pages: [BitSet] = []

    /// Returns whether the entry was not in the set before.
    @discardableResult
    mutating func insert(_ index: Index) -> Bool {
        let (page, slot) = Self.position(of: index)
        while pages.count <= page {
            pages.append(BitSet())
        }
        return pages[page].insert(slot).inserted
    }

    /// Returns whether the entry was in the set.
    @discardableResult
    mutating func remove(_ index: Index) -> Bool {
        // Removing what is not there would make a copy of an empty page.
        guard contains(index) else {
            return false
        }
        let (page, slot) = Self.position(of: index)
        pages[page].remove(slot)
        return true
    }

    mutating func formUnion(_ other: Self) {
        for (page, slots) in other.pages.enumerated() {
            if page < pages.count {
                pages[page].formUnion(slots)
            } else {
                pages.append(slots)
            }
        }
    }

    func contains(_ index: Index) -> Bool {
        let (page, slot) = Self.position(of: index)
        return page < pages.count && pages[page].contains(slot)
    }

    /// The entries, in the order of their slots.
    func elements<Table>() -> [Index] where Index == TableIndex<Table> {
        pages.enumerated().flatMap { page, slots in
            slots.map { TableIndex(UInt32(page * Self.slotsPerPage + $0)) }
        }
    }

    private static func position(of index: Index) -> (page: Int, slot: Int) {
        (index.slot / slotsPerPage, index.slot % slotsPerPage)
    }
}
