// SPDX-License-Identifier: Apache-2.0

/// Some keys, by number.
struct KeySet: Sendable {
    private var flags: [Bool] = []
    private(set) var numbers: [UInt32] = []

    /// Whether the key was not among them before.
    mutating func insert(_ key: UInt32) -> Bool {
        while flags.count <= Int(key) {
            flags.append(false)
        }
        guard !flags[Int(key)] else {
            return false
        }
        flags[Int(key)] = true
        numbers.append(key)
        return true
    }

    func contains(_ key: UInt32) -> Bool {
        key < flags.count && flags[Int(key)]
    }
}
