// SPDX-License-Identifier: Apache-2.0

import CascadeJournal
import Testing

@Suite struct CRC32CTests {
    /// From RFC 3720, and the check value that CRC catalogues list.
    private static let known: [(bytes: [UInt8], checksum: UInt32)] = [
        ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
        ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
        (Array(0..<32), 0x46DD_794E),
        (Array("123456789".utf8), 0xE306_9283),
    ]

    @Test func `the checksums of known inputs are those of the reference implementations`() {
        for (bytes, checksum) in Self.known {
            #expect(CRC32C.checksum(bytes) == checksum)
        }
    }
}
