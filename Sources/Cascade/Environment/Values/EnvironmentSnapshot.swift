// SPDX-License-Identifier: Apache-2.0

/// An immutable snapshot of a node's environment and preferences.
final class EnvironmentSnapshot: Sendable {
    /// The JSON of each value, by the names of the keys.
    private let values: [String: String]
    private let preferences: [String: String]
    /// The values of the watched keys by the types of the keys, each decoded once.
    private let boxes: [ObjectIdentifier: any AnyObject & Sendable]
    private let table: BoxTable

    init() {
        values = [:]
        preferences = [:]
        boxes = [:]
        table = BoxTable([:])
    }

    /// Creates the snapshot that follows `old`.
    ///
    /// - Parameters:
    ///   - old: The previous snapshot.
    ///   - replacesAll: Whether keys without a change lose their values.
    ///   - keys: The keys that the node watches.
    ///   - problems: Receives a sentence for each value that cannot be decoded.
    init(
        _ old: EnvironmentSnapshot, _ changes: [EnvironmentChange], replacesAll: Bool,
        keys: [ErasedKey], problems: inout [String]
    ) {
        var values = replacesAll ? [:] : old.values
        var preferences = replacesAll ? [:] : old.preferences
        for change in changes {
            if change.isPreference {
                preferences[change.key.description] = change.new
            } else {
                values[change.key.description] = change.new
            }
        }
        var boxes = old.boxes
        for key in keys {
            let json = key.isPreference ? preferences[key.name] : values[key.name]
            let known = key.isPreference ? old.preferences[key.name] : old.values[key.name]
            guard json != known || boxes[key.id] == nil else {
                continue
            }
            do {
                boxes[key.id] = try key.box(json)
            } catch {
                boxes[key.id] = key.empty
                problems.append("\(error)")
            }
        }
        self.values = values
        self.preferences = preferences
        self.boxes = boxes
        table = BoxTable(boxes)
    }

    /// Returns the box of a watched key; `nil` for a key that is not watched.
    func box(of id: ObjectIdentifier) -> (any AnyObject & Sendable)? {
        table[id]
    }

    /// Returns the value of a watched key; `nil` for a key that is not watched.
    func value<K: EnvironmentKey>(of key: K.Type) -> K.Value? {
        // Safe: the box of a key is created with the key's value type.
        table[ObjectIdentifier(key)].map { unsafeDowncast($0, to: ValueBox<K.Value>.self).value }
    }

    /// Returns the value of a watched preference; `nil` for one that is not watched.
    func value<K: PreferenceKey>(of key: K.Type) -> K.Value? {
        table[ObjectIdentifier(key)].map { unsafeDowncast($0, to: ValueBox<K.Value>.self).value }
    }
}

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
