// SPDX-License-Identifier: Apache-2.0

import CascadeJournal
import Testing

@Suite struct CRC32CTests {
    @Test("It is the checksum of RFC 3720", arguments: [
        ([UInt8](repeating: 0, count: 32), 0x8A91_36AA as UInt32),
        ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
        ((0..<32).map { UInt8($0) }, 0x46DD_794E),
        (Array("123456789".utf8), 0xE306_9283),
    ])
    func known(bytes: [UInt8], checksum: UInt32) {
        #expect(CRC32C.checksum(bytes) == checksum)
    }
}
