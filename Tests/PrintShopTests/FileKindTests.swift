// SPDX-License-Identifier: Apache-2.0

import PrintShopEvents
import Testing

@Suite struct FileKindTests {
    @Test(
        arguments: [
            (.pdf, Array("%PDF-1.7\n".utf8) + [0xE2, 0xE3, 0x00]),
            (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00]),
            (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10]),
            (.program, [0x7F, 0x45, 0x4C, 0x46, 0x02, 0x01]),
            (.text, Array("Dear Sir or Madam,\r\n\tgrüße\n".utf8)),
            (.unknown, [0x00, 0x01, 0x02]),
            (.unknown, Array("text with\u{0}a zero".utf8)),
            (.unknown, [0xC3, 0x28, 0x41, 0x41, 0x41, 0x41]),
            (.unknown, Array("text".utf8) + [0x89]),
            (.unknown, []),
        ] as [(FileKind, [UInt8])]
    )
    func `a file's first bytes determine its kind`(expected: FileKind, sample: [UInt8]) {
        #expect(FileKind(sample: sample) == expected)
    }

    @Test(arguments: 1...7)
    func `a file with a truncated signature is of unknown kind`(length: Int) {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        #expect(FileKind(sample: signature.prefix(length)) == .unknown)
    }

    // A sample may end anywhere, even inside a character of up to four bytes.
    @Test(arguments: 0...3)
    func `a text truncated within a character is a text`(cut: Int) {
        #expect(FileKind(sample: Array("a text 🖨".utf8).dropLast(cut)) == .text)
    }
}
