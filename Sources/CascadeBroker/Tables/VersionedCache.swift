// SPDX-License-Identifier: Apache-2.0

/// Results that hold until the tree changes, in a table of fixed size in which a new result replaces
/// one that collides with it.
struct VersionedCache<Key: VersionedCacheKey, Value: Sendable>: Sendable {
    struct Entry: Sendable {
        var version: UInt64
        var key: Key
        var value: Value
    }

    private var entries: [Entry?]
    /// The table has 2 to the power of 64 minus `shift` entries.
    private let shift: UInt64

    /// - Parameter sizeBits: The binary logarithm of the number of entries.
    init(sizeBits: Int) {
        entries = Array(repeating: nil, count: 1 << sizeBits)
        shift = UInt64(64 - sizeBits)
    }

    /// The result for a key in this version of the tree, if it is there.
    func value(for key: Key, version: UInt64) -> Value? {
        guard let entry = entries[place(of: key)], entry.version == version, entry.key == key else {
            return nil
        }
        return entry.value
    }

    mutating func insert(_ value: Value, for key: Key, version: UInt64) {
        entries[place(of: key)] = Entry(version: version, key: key, value: value)
    }

    private func place(of key: Key) -> Int {
        // The multiplier, 2 to the power of 64 divided by the golden ratio, spreads similar numbers.
        Int((key.number &* 0x9E37_79B9_7F4A_7C15) >> shift)
    }
}

protocol VersionedCacheKey: Equatable, Sendable {
    /// A number that mostly differs from those of other keys.
    var number: UInt64 { get }
}
