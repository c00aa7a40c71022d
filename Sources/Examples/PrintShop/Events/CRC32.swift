// SPDX-License-Identifier: Apache-2.0

/// The CRC-32 checksum of zip and PNG, identical to Python's `zlib.crc32`.
package struct CRC32: Hashable, Sendable {
    private var register: UInt32 = 0xFFFF_FFFF

    /// The remainder of each byte, shifted by eight.
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { remainder, _ in
            remainder & 1 == 1 ? (remainder >> 1) ^ 0xEDB8_8320 : remainder >> 1
        }
    }

    package init() {}

    /// Adds bytes to the checksum.
    package mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            register = Self.table[Int(UInt8(truncatingIfNeeded: register) ^ byte)] ^ (register >> 8)
        }
    }

    /// The checksum of the bytes so far.
    package var value: UInt32 {
        ~register
    }
}
