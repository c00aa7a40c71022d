// SPDX-License-Identifier: Apache-2.0

/// The boxes of values by the types of their keys, for many to look into and nobody to change.
///
/// A look-up is to cost a few nanoseconds, which a dictionary's hashing alone exceeds; types are
/// where they are, and nobody outside chooses them.
struct BoxTable: Sendable {
    private struct Slot {
        let id: ObjectIdentifier
        let box: any AnyObject & Sendable
    }

    /// At least half of them are free.
    private let slots: [Slot?]
    private let shift: UInt

    init(_ boxes: [ObjectIdentifier: any AnyObject & Sendable]) {
        var bitCount: UInt = 2
        while 1 << bitCount < boxes.count * 2 {
            bitCount += 1
        }
        var slots = [Slot?](repeating: nil, count: 1 << bitCount)
        shift = UInt(UInt.bitWidth) - bitCount
        for (id, box) in boxes {
            var place = Self.place(of: id, shift)
            while slots[place] != nil {
                place = (place + 1) & (slots.count - 1)
            }
            slots[place] = Slot(id: id, box: box)
        }
        self.slots = slots
    }

    subscript(id: ObjectIdentifier) -> (any AnyObject & Sendable)? {
        var place = Self.place(of: id, shift)
        while let slot = slots[place] {
            if slot.id == id {
                return slot.box
            }
            place = (place + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Multiplying by the golden ratio spreads neighbours.
    private static func place(of id: ObjectIdentifier, _ shift: UInt) -> Int {
        Int((UInt(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15) >> shift)
    }
}
