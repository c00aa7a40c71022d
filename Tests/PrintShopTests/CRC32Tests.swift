// SPDX-License-Identifier: Apache-2.0

import PrintShopEvents
import Testing

@Suite struct CRC32Tests {
    // The values are those of Python's zlib.crc32; the second is the check value that catalogues of
    // checksums list.
    @Test(
        arguments: [
            ("", 0),
            ("123456789", 0xCBF4_3926),
            ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
        ] as [(String, UInt32)]
    )
    func `the checksum is the one of zip and PNG`(text: String, expected: UInt32) {
        var checksum = CRC32()
        checksum.update(text.utf8)
        #expect(checksum.value == expected)
    }

    @Test func `all byte values contribute to the checksum`() {
        var checksum = CRC32()
        checksum.update(UInt8.min...UInt8.max)
        #expect(checksum.value == 0x2905_8C73)
    }

    @Test func `the checksum does not depend on how the bytes are divided`() {
        var checksum = CRC32()
        for piece in ["12", "", "3456", "789"] {
            checksum.update(piece.utf8)
        }
        #expect(checksum.value == 0xCBF4_3926)
    }
}
