// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The visits in this session's hands, in slots that are used again. Nothing in a message is
/// interpreted before somebody asks.
struct VisitTable: Sendable {
    private var slots: [VisitSlot] = []
    private var messages: [[UInt8]] = []
    /// The stops after the one at work, nearest last.
    private var furtherStops: [[Itinerary.Stop]] = []
    private var free: [UInt32] = []

    /// Takes a free slot for a message that has arrived; it waits there. `stops` has at least one.
    mutating func insert(
        _ header: Header, _ message: [UInt8], _ first: Itinerary.Stop,
        further: ArraySlice<Itinerary.Stop>, mailbox: Int
    ) -> UInt32 {
        let slot = VisitSlot(
            state: .waiting, header: header, stop: first, firstNode: first.node, mailbox: mailbox)
        guard let index = free.popLast() else {
            slots.append(slot)
            messages.append(message)
            furtherStops.append(further.reversed())
            return UInt32(slots.count - 1)
        }
        slots[Int(index)] = slot
        messages[Int(index)] = message
        if !further.isEmpty {
            furtherStops[Int(index)] = further.reversed()
        }
        return index
    }

    mutating func remove(_ index: UInt32) {
        slots[Int(index)].state = .free
        messages[Int(index)] = []
        if !furtherStops[Int(index)].isEmpty {
            furtherStops[Int(index)] = []
        }
        free.append(index)
    }

    subscript(index: UInt32) -> VisitSlot {
        get { slots[Int(index)] }
        _modify { yield &slots[Int(index)] }
    }

    func message(_ index: UInt32) -> [UInt8] {
        messages[Int(index)]
    }

    func withMessage<Result>(
        _ index: UInt32, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        messages[Int(index)].withUnsafeBytes(body)
    }

    func hasFurtherStop(_ index: UInt32) -> Bool {
        !furtherStops[Int(index)].isEmpty
    }

    /// Moves the visit to its next stop.
    ///
    /// Precondition: ``hasFurtherStop(_:)``.
    mutating func advance(_ index: UInt32) {
        slots[Int(index)].stop = furtherStops[Int(index)].removeLast()
        slots[Int(index)].stopIndex += 1
    }

    /// The visits of a delivery that run now.
    func running(delivery: UInt64) -> [UInt32] {
        slots.indices.filter { slots[$0].state == .running && slots[$0].header.id == delivery }
            .map(UInt32.init)
    }

    /// The connection is gone, or one node: what waits is dropped, what runs ends for nobody.
    mutating func forget(_ mailbox: Int? = nil, firstNode: UInt32? = nil) {
        for index in slots.indices
        where (mailbox ?? slots[index].mailbox, firstNode ?? slots[index].firstNode)
            == (slots[index].mailbox, slots[index].firstNode)
        {
            switch slots[index].state {
            case .waiting: remove(UInt32(index))
            case .running: slots[index].state = .forgotten
            case .free, .forgotten: break
            }
        }
    }
}
