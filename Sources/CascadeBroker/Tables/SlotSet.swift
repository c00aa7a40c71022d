// SPDX-License-Identifier: Apache-2.0

import BitCollections

/// An index of a table. Its slot is the position of the record.
protocol TableSlot {
    var slot: Int { get }
}

extension Slab.Index: TableSlot {}
extension TableIndex: TableSlot {}

/// Some entries of one table, in one bit for each slot.
struct SlotSet<Index: TableSlot>: Sendable {
    private var slots = BitSet()

    /// Returns whether the entry was not in the set before.
    @discardableResult
    mutating func insert(_ index: Index) -> Bool {
        slots.insert(index.slot).inserted
    }

    /// Returns whether the entry was in the set.
    @discardableResult
    mutating func remove(_ index: Index) -> Bool {
        slots.remove(index.slot) != nil
    }

    func contains(_ index: Index) -> Bool {
        slots.contains(index.slot)
    }

    /// The entries, in the order of their slots.
    func elements<Table>() -> [Index] where Index == TableIndex<Table> {
        slots.map { TableIndex(UInt32($0)) }
    }
}
