// SPDX-License-Identifier: Apache-2.0

// All reads of a peer's bytes go through these functions, whose bounds are checked in each build.

extension RawSpan {
    func byte(at index: Int) -> UInt8 {
        unsafeLoadUnaligned(fromByteOffset: index, as: UInt8.self)
    }

    /// The integer in network byte order that begins at `index`.
    func integer<Integer: FixedWidthInteger & BitwiseCopyable>(
        at index: Int, as type: Integer.Type
    ) -> Integer {
        Integer(bigEndian: unsafeLoadUnaligned(fromByteOffset: index, as: type))
    }

    func isEqual(to text: StaticString, in range: Range<Int>) -> Bool {
        extracting(range).withUnsafeBytes { bytes in
            bytes.elementsEqual(
                UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }
    }

    /// Whether two ASCII texts are equal except for the case of letters.
    func isEqualIgnoringCase(to text: String, in range: Range<Int>) -> Bool {
        extracting(range).withUnsafeBytes { bytes in
            bytes.elementsEqual(text.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
        }
    }

    func array(_ range: Range<Int>) -> [UInt8] {
        extracting(range).withUnsafeBytes { Array($0) }
    }

    /// At most 64 bytes as text for a log: what is not printable ASCII is written as `\xNN`.
    package func textForDisplay(_ range: Range<Int>) -> String {
        let byteCountMax = 64
        var text = ""
        for index in range.prefix(byteCountMax) {
            let byte = byte(at: index)
            if byte.isVisible && byte != UInt8(ascii: "\\") {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\\x" + byte.hexadecimal
            }
        }
        return range.count > byteCountMax ? text + "…" : text
    }
}

extension UInt8 {
    var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercasedASCII)
    }

    var isDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }

    /// Whether the byte is a VCHAR of RFC 5234.
    var isVisible: Bool {
        (0x21...0x7E).contains(self)
    }

    var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    var hexadecimal: String {
        (self < 0x10 ? "0" : "") + String(self, radix: 16, uppercase: true)
    }
}
