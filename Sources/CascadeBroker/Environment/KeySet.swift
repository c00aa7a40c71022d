// SPDX-License-Identifier: Apache-2.0

/// Some keys, by number.
struct KeySet: Sendable {
    private var flags: [Bool] = []
    private(set) var numbers: [KeyIndex] = []

    /// Whether the key was not among them before.
    mutating func insert(_ key: KeyIndex) -> Bool {
        while flags.count <= key.slot {
            flags.append(false)
        }
        guard !flags[key.slot] else {
            return false
        }
        flags[key.slot] = true
        numbers.append(key)
        return true
    }

    func contains(_ key: KeyIndex) -> Bool {
        key.slot < flags.count && flags[key.slot]
    }
}
