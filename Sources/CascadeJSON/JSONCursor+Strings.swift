// SPDX-License-Identifier: Apache-2.0

extension JSONCursor {
    /// Takes a string and returns the text that it stands for.
    package mutating func takeString() throws(JSONError) -> String {
        let start = offset
        try expect("\"", "'\"'")
        let plain = takePlain()
        if take("\"") {
            return try Self.text(plain, ofStringAt: start)
        }
        var text = try Self.text(plain, ofStringAt: start)
        while let scalar = try takeEscapeOrEnd(ofStringAt: start) {
            text.unicodeScalars.append(scalar)
            text += try Self.text(takePlain(), ofStringAt: start)
        }
        return text
    }

    /// Skips a string, and accepts what ``takeString()`` accepts.
    mutating func skipString() throws(JSONError) {
        let start = offset
        try expect("\"", "'\"'")
        repeat {
            let plain = takePlain()
            if !plain.allSatisfy({ $0 < 0x80 }) {
                _ = try Self.text(plain, ofStringAt: start)
            }
        } while try takeEscapeOrEnd(ofStringAt: start) != nil
    }

    /// Takes the bytes of a string up to its end, an escape, or a byte that no string contains.
    private mutating func takePlain() -> Slice<UnsafeRawBufferPointer> {
        let start = offset
        while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""),
            byte != UInt8(ascii: "\\")
        {
            offset += 1
        }
        return bytes[start..<offset]
    }

    /// An escape is ASCII, so each part between two of them is UTF-8 by itself if the string is.
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

    /// Returns the scalar of an escape, or `nil` for the end of the string.
    private mutating func takeEscapeOrEnd(
        ofStringAt start: Int
    ) throws(JSONError) -> Unicode.Scalar? {
        switch next {
        case UInt8(ascii: "\""):
            offset += 1
            return nil
        case UInt8(ascii: "\\"):
            return try takeEscape()
        case nil:
            throw JSONError("the string has no '\"' at its end", at: start)
        default:
            throw JSONError("a control character in a string", at: offset)
        }
    }

    private mutating func takeEscape() throws(JSONError) -> Unicode.Scalar {
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
        case UInt8(ascii: "u"): return try takeCodePoint(escapedAt: start)
        default: throw JSONError("an escape that JSON does not have", at: start)
        }
    }

    /// Takes one escaped code unit, or two that make one scalar.
    private mutating func takeCodePoint(
        escapedAt start: Int
    ) throws(JSONError) -> Unicode.Scalar {
        let unit = try takeCodeUnit(escapedAt: start)
        if let scalar = Unicode.Scalar(unit) {
            return scalar
        }
        var units = [unit]
        if take("\\"), take("u") {
            units.append(try takeCodeUnit(escapedAt: start))
        }
        guard let scalar = String(validating: units, as: UTF16.self)?.unicodeScalars.first else {
            throw JSONError("half of a surrogate pair", at: start)
        }
        return scalar
    }

    private mutating func takeCodeUnit(escapedAt start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw JSONError("no four hexadecimal digits after '\\u'", at: start)
            }
            offset += 1
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
