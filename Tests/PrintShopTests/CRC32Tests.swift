// SPDX-License-Identifier: Apache-2.0

import PrintShopEvents
import Testing

@Suite struct CRC32Tests {
    // The values are those of Python's zlib.crc32; the second is the check value that every
    // description of the checksum gives.
    @Test(
        "The checksum is the one that zip and PNG use",
        arguments: [
            ("", 0),
            ("123456789", 0xCBF4_3926),
            ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
        ] as [(String, UInt32)]
    )
    func knownValues(text: String, expected: UInt32) {
        var checksum = CRC32()
        checksum.update(text.utf8)
        #expect(checksum.value == expected)
    }

    @Test("All byte values count")
    func allBytes() {
        var checksum = CRC32()
        checksum.update(UInt8.min...UInt8.max)
        #expect(checksum.value == 0x2905_8C73)
    }

    @Test("It does not matter in which pieces the bytes come")
    func pieces() {
        var checksum = CRC32()
        for piece in ["12", "", "3456", "789"] {
            checksum.update(piece.utf8)
        }
        #expect(checksum.value == 0xCBF4_3926)
    }
}
