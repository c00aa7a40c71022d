// SPDX-License-Identifier: Apache-2.0

extension JSONCursor {
    /// Parses a string and returns its value.
    mutating func string() throws(JSONFault) -> String {
        var text: [UInt8] = []
        let start = place
        try takeString({ text += $0 }, escape: { text += $0.utf8 })
        return try Self.validated(text, at: start)
    }

    /// Skips a string, with the same validation.
    mutating func skipString() throws(JSONFault) {
        let start = place
        var other: [UInt8] = []
        try takeString(
            { part in
                // A space separates the halves of a scalar around an escape, so that they do not
                // form a valid one.
                if part.contains(where: { $0 >= 0x80 }) {
                    other += part + [UInt8(ascii: " ")]
                }
            }, escape: { _ in })
        _ = try Self.validated(other, at: start)
    }

    private static func validated(_ text: [UInt8], at place: Int) throws(JSONFault) -> String {
        guard let string = String(validating: text, as: UTF8.self) else {
            throw JSONFault("the string is not valid UTF-8", at: place)
        }
        return string
    }

    /// Passes the content of a string to the closures: plain bytes, and the values of escapes.
    private mutating func takeString(
        _ body: (Slice<UnsafeRawBufferPointer>) -> Void,
        escape: (Unicode.Scalar) -> Void
    ) throws(JSONFault) {
        let start = place
        try expect("\"", "'\"'")
        while true {
            body(takePlain())
            switch next {
            case UInt8(ascii: "\""):
                _ = take("\"")
                return
            case UInt8(ascii: "\\"):
                escape(try takeEscape())
            case nil:
                throw JSONFault("the string has no '\"' at its end", at: start)
            default:
                throw JSONFault("a control character in a string", at: place)
            }
        }
    }

    // MARK: - Escapes

    private mutating func takeEscape() throws(JSONFault) -> Unicode.Scalar {
        let start = place
        _ = take("\\")
        let letter = next
        _ = takeByte()
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
        default: throw JSONFault("an escape that JSON does not have", at: start)
        }
    }

    /// Parses one or two escaped code units that form one scalar.
    private mutating func takeCodePoint(
        escapedAt start: Int
    ) throws(JSONFault) -> Unicode.Scalar {
        let unit = try takeCodeUnit(escapedAt: start)
        if let scalar = Unicode.Scalar(unit) {
            return scalar
        }
        var units = [unit]
        if take("\\"), take("u") {
            units.append(try takeCodeUnit(escapedAt: start))
        }
        guard let scalar = String(validating: units, as: UTF16.self)?.unicodeScalars.first else {
            throw JSONFault("half of a surrogate pair", at: start)
        }
        return scalar
    }

    private mutating func takeCodeUnit(escapedAt start: Int) throws(JSONFault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = takeByte(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue
            else {
                throw JSONFault("no four hexadecimal digits after '\\u'", at: start)
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
