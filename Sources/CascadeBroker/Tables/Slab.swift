// SPDX-License-Identifier: Apache-2.0

/// Records at stable numbers, used again after they are freed: no allocation in the steady state.
///
/// A number carries a generation, so that a number of the past is told from its successor.
struct Slab<Record> {
    private struct Entry {
        var generation: UInt32
        var isLive: Bool
        var record: Record
    }

    private var entries: [Entry] = []
    private var free: [UInt32] = []

    /// How many records there are.
    var count: Int {
        entries.count - free.count
    }

    /// Makes a record from what a freed one left, so that arrays inside keep their capacity.
    mutating func insert(
        _ blank: @autoclosure () -> Record, reuse: (inout Record) -> Void
    ) -> UInt32 {
        let index = take(blank())
        reuse(&entries[Int(index)].record)
        return index
    }

    /// Makes a record, or takes a freed one as it was left.
    mutating func take(_ blank: @autoclosure () -> Record) -> UInt32 {
        if let index = free.popLast() {
            entries[Int(index)].isLive = true
            return index
        }
        entries.append(Entry(generation: 1, isLive: true, record: blank()))
        return UInt32(entries.count - 1)
    }

    mutating func remove(_ index: UInt32) {
        precondition(entries[Int(index)].isLive, "a record is freed twice")
        entries[Int(index)].isLive = false
        entries[Int(index)].generation &+= 1
        free.append(index)
    }

    subscript(index: UInt32) -> Record {
        _read { yield entries[Int(index)].record }
        _modify { yield &entries[Int(index)].record }
    }

    func generation(_ index: UInt32) -> UInt32 {
        entries[Int(index)].generation
    }

    /// Whether the record of this index and generation is still there.
    func contains(_ index: UInt32, generation: UInt32) -> Bool {
        index < entries.count && entries[Int(index)].isLive
            && entries[Int(index)].generation == generation
    }

    /// Whether there is a record of this number now.
    func contains(_ index: UInt32) -> Bool {
        index < entries.count && entries[Int(index)].isLive
    }

    /// The numbers of all records, ascending.
    var indices: [UInt32] {
        entries.indices.filter { entries[$0].isLive }.map(UInt32.init)
    }
}
