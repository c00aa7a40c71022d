// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The visits in this session's hands, in slots that are used again.
struct VisitTable: Sendable {
    private var slots: [VisitSlot] = []
    private var free: [UInt32] = []

    /// Takes a free slot for a message that has arrived; it waits there.
    mutating func insert(
        _ header: Header, _ message: [UInt8], _ firstStop: Itinerary.Stop, mailbox: Int,
        _ furtherStops: [Itinerary.Stop]
    ) -> UInt32 {
        let index: UInt32
        if let last = free.popLast() {
            index = last
        } else {
            index = UInt32(slots.count)
            slots.append(VisitSlot())
        }
        slots[Int(index)] = VisitSlot(
            state: .waiting, header: header, message: message, firstStop: firstStop,
            mailbox: mailbox, furtherStops: furtherStops)
        return index
    }

    mutating func remove(_ index: UInt32) {
        slots[Int(index)].state = .free
        slots[Int(index)].message = []
        slots[Int(index)].furtherStops = []
        free.append(index)
    }

    subscript(index: UInt32) -> VisitSlot {
        _read { yield slots[Int(index)] }
        _modify { yield &slots[Int(index)] }
    }

    /// The connection is gone, or the node of one mailbox: what waits is dropped, what runs ends for
    /// nobody.
    mutating func forget(_ mailbox: Int? = nil) {
        for index in slots.indices where mailbox == nil || slots[index].mailbox == mailbox {
            switch slots[index].state {
            case .waiting: remove(UInt32(index))
            case .running: slots[index].state = .forgotten
            case .free, .forgotten: break
            }
        }
    }
}
