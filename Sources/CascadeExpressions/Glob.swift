// SPDX-License-Identifier: Apache-2.0

/// A pattern of the operator `~`: `*` matches any text, including none, `?` matches one Unicode
/// scalar, and every other character matches itself.
///
/// Matching runs a bit-parallel automaton, with one step for each byte of the text and each 64 bytes of
/// the pattern. Patterns come from workers and texts from payloads, so a backtracking matcher would let
/// a peer block the bus.
package struct Glob: Equatable, Sendable {
    let pattern: String

    /// The number of states. State i means that the first i elements of the pattern have matched;
    /// the last state accepts.
    private let stateCount: Int

    /// The states that any byte preserves: a `*` is at their position.
    private var staying: [UInt64]

    /// The states that a continuation byte preserves: a `?` has just matched the first byte of its
    /// scalar.
    private var continuing: [UInt64]

    /// The states from which the first byte of any scalar advances: a `?` is at their position.
    private var anyScalar: [UInt64]

    /// The row of `advancing` for each byte, with the states from which that byte advances.
    private var rows: [UInt8]
    private var advancing: [UInt64]

    private static let star = UInt8(ascii: "*")
    private static let questionMark = UInt8(ascii: "?")

    package init(_ pattern: String) {
        self.pattern = pattern
        let elements = pattern.utf8.filter { $0 != Self.star }
        let wordCount = elements.count / 64 + 1
        stateCount = elements.count + 1
        staying = Array(repeating: 0, count: wordCount)
        continuing = staying
        anyScalar = staying
        rows = Array(repeating: 0, count: 256)
        // Row 0 is for the first byte of any other scalar, row 1 for a continuation byte.
        advancing = Array(repeating: 0, count: 2 * wordCount)
        assignRows(Set(elements))
        var state = 0
        for byte in pattern.utf8 {
            if byte == Self.star {
                staying[state / 64] |= 1 << (state % 64)
            } else {
                addTransition(on: byte, from: state)
                state += 1
            }
        }
    }

    private var wordCount: Int {
        staying.count
    }

    private mutating func assignRows(_ bytes: Set<UInt8>) {
        for byte in UInt8(0x80)...0xBF {
            rows[Int(byte)] = 1
        }
        // UTF-8 uses fewer than 254 different bytes, so a row's number fits.
        for byte in bytes where byte != Self.questionMark {
            rows[Int(byte)] = UInt8(advancing.count / wordCount)
            advancing += Array(repeating: 0, count: wordCount)
        }
    }

    /// Adds the transition from a state to the next one on an element of the pattern: a byte, or `?`.
    private mutating func addTransition(on byte: UInt8, from state: Int) {
        let word = state / 64
        let bit: UInt64 = 1 << (state % 64)
        guard byte == Self.questionMark else {
            advancing[Int(rows[Int(byte)]) * wordCount + word] |= bit
            return
        }
        anyScalar[word] |= bit
        continuing[(state + 1) / 64] |= 1 << ((state + 1) % 64)
    }

    /// Returns the greatest number of steps that matching `text` takes.
    func stepCount(over text: String) -> Int {
        text.utf8.count * wordCount
    }

    package func matches(_ text: String) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: wordCount) { states in
            states.initialize(repeating: 0)
            states[0] = 1
            for byte in text.utf8 {
                guard step(byte, states) else {
                    return false
                }
            }
            let last = stateCount - 1
            return states[last / 64] & (1 << (last % 64)) != 0
        }
    }

    /// Advances the states over a byte. Returns whether any state remains.
    private func step(_ byte: UInt8, _ states: UnsafeMutableBufferPointer<UInt64>) -> Bool {
        let row = Int(rows[Int(byte)]) * wordCount
        let isContinuation = UTF8.isContinuation(byte)
        var carry: UInt64 = 0
        var remaining: UInt64 = 0
        for word in 0..<wordCount {
            let before = states[word]
            let advanced =
                before & (advancing[row + word] | (isContinuation ? 0 : anyScalar[word]))
            let kept = before & (staying[word] | (isContinuation ? continuing[word] : 0))
            states[word] = advanced << 1 | carry | kept
            carry = advanced >> 63
            remaining |= states[word]
        }
        return remaining != 0
    }
}

extension Glob: Hashable {
    package static func == (left: Glob, right: Glob) -> Bool {
        Scalar.string(left.pattern) == .string(right.pattern)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(Scalar.string(pattern))
    }
}
