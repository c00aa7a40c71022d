// SPDX-License-Identifier: Apache-2.0

/// An immutable hash table from the types of keys to the boxes of their values.
///
/// A lookup takes a few nanoseconds, less than the hashing of a dictionary. Attackers cannot choose
/// the addresses of types, so an unseeded hash is safe.
struct BoxTable: Sendable {
    private struct Slot {
        let id: ObjectIdentifier
        let box: any AnyObject & Sendable
    }

    /// The slots, of which at least half are free.
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

    /// Fibonacci hashing: multiplication by the golden ratio spreads neighbouring addresses.
    private static func place(of id: ObjectIdentifier, _ shift: UInt) -> Int {
        Int((UInt(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15) >> shift)
    }
}
