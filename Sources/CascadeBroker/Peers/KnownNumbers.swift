// SPDX-License-Identifier: Apache-2.0

/// Which numbers a peer has been told the meaning of.
struct KnownNumbers: Sendable {
    private var words: [UInt64] = []

    /// Marks a number as told; returns whether it had to be.
    mutating func learn(_ number: UInt32) -> Bool {
        let word = Int(number / 64)
        let bit = UInt64(1) << (number % 64)
        while words.count <= word {
            words.append(0)
        }
        defer { words[word] |= bit }
        return words[word] & bit == 0
    }

    func contains(_ number: UInt32) -> Bool {
        let word = Int(number / 64)
        return word < words.count && words[word] & UInt64(1) << (number % 64) != 0
    }

    /// All of them, ascending.
    var numbers: [UInt32] {
        var found: [UInt32] = []
        for (place, word) in words.enumerated() where word != 0 {
            for bit in 0..<64 where word >> UInt64(bit) & 1 == 1 {
                found.append(UInt32(place * 64 + bit))
            }
        }
        return found
    }

    /// The number will mean something else.
    mutating func forget(_ number: UInt32) {
        let word = Int(number / 64)
        if word < words.count {
            words[word] &= ~(UInt64(1) << (number % 64))
        }
    }
}
