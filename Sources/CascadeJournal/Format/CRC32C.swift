// SPDX-License-Identifier: Apache-2.0

/// The checksum CRC-32C (Castagnoli). It detects every burst of up to 32 wrong bits, and all but
/// one in 2^32 other faults.
package struct CRC32C: Sendable {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1
        }
    }

    private var state: UInt32 = .max

    package init() {}

    package mutating func update(_ bytes: some Sequence<UInt8>) {
        let table = Self.table
        var state = state
        for byte in bytes {
            state = table[Int(truncatingIfNeeded: (state ^ UInt32(byte)) & 0xFF)] ^ state >> 8
        }
        self.state = state
    }

    package var value: UInt32 {
        ~state
    }

    package static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var checksum = CRC32C()
        checksum.update(bytes)
        return checksum.value
    }
}
