// SPDX-License-Identifier: Apache-2.0

extension JSONCursor {
    /// Reads a string and returns its text, with the escapes decoded.
    package mutating func readString() throws(JSONError) -> String {
        let start = offset
        try expect("\"", "'\"'")
        let plain = skipPlain()
        if accept("\"") {
            return try Self.text(plain, ofStringAt: start)
        }
        var text = try Self.text(plain, ofStringAt: start)
        while let scalar = try readEscapeOrEnd(ofStringAt: start) {
            text.unicodeScalars.append(scalar)
            text += try Self.text(skipPlain(), ofStringAt: start)
        }
        return text
    }

    /// Skips a string. Throws the same errors as ``readString()``.
    mutating func skipString() throws(JSONError) {
        let start = offset
        try expect("\"", "'\"'")
        repeat {
            let plain = skipPlain()
            if !plain.allSatisfy({ $0 < 0x80 }) {
                _ = try Self.text(plain, ofStringAt: start)
            }
        } while try readEscapeOrEnd(ofStringAt: start) != nil
    }

    /// Skips the bytes of a string up to its end, an escape, or an invalid byte, and returns them.
    private mutating func skipPlain() -> Slice<UnsafeRawBufferPointer> {
        let start = offset
        while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""),
            byte != UInt8(ascii: "\\")
        {
            offset += 1
        }
        return bytes[start..<offset]
    }

    /// Returns the text of a part of a string between two escapes. Escapes are ASCII, so each part is
    /// UTF-8 if the whole string is.
    private static func text(
        _ plain: Slice<UnsafeRawBufferPointer>, ofStringAt start: Int
    ) throws(JSONError) -> String {
        let bytes = UnsafeRawBufferPointer(rebasing: plain)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JSONError("the string is not UTF-8", at: start)
        }
        return text
    }

    // MARK: - Escapes

    /// Reads an escape and returns its scalar, or reads the end of the string and returns `nil`.
    private mutating func readEscapeOrEnd(
        ofStringAt start: Int
    ) throws(JSONError) -> Unicode.Scalar? {
        switch next {
        case UInt8(ascii: "\""):
            offset += 1
            return nil
        case UInt8(ascii: "\\"):
            return try readEscape()
        case nil:
            throw JSONError("unterminated string", at: start)
        default:
            throw JSONError("unescaped control character in a string", at: offset)
        }
    }

    private mutating func readEscape() throws(JSONError) -> Unicode.Scalar {
        let start = offset
        offset += 1
        let letter = next
        offset += letter == nil ? 0 : 1
        switch letter {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try readCodePoint(escapedAt: start)
        default: throw JSONError("invalid escape", at: start)
        }
    }

    /// Reads the scalar of one escaped UTF-16 code unit, or of a surrogate pair of two.
    private mutating func readCodePoint(
        escapedAt start: Int
    ) throws(JSONError) -> Unicode.Scalar {
        let unit = try readCodeUnit(escapedAt: start)
        if let scalar = Unicode.Scalar(unit) {
            return scalar
        }
        var units = [unit]
        if accept("\\"), accept("u") {
            units.append(try readCodeUnit(escapedAt: start))
        }
        guard let scalar = String(validating: units, as: UTF16.self)?.unicodeScalars.first else {
            throw JSONError("unpaired surrogate", at: start)
        }
        return scalar
    }

    private mutating func readCodeUnit(escapedAt start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw JSONError("expected four hexadecimal digits after '\\u'", at: start)
            }
            offset += 1
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
