// SPDX-License-Identifier: Apache-2.0

/// A strict cursor over JSON (RFC 8259), which builds no tree and does not recurse.
struct JSONCursor {
    private let bytes: UnsafeRawBufferPointer
    private(set) var place: Int

    init(_ bytes: UnsafeRawBufferPointer, at place: Int = 0) {
        self.bytes = bytes
        self.place = place
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    var next: UInt8? {
        place < bytes.count ? bytes[place] : nil
    }

    mutating func skipSpace() {
        while let byte = next, Self.isSpace(byte) {
            place += 1
        }
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else {
            return false
        }
        place += 1
        return true
    }

    mutating func takeByte() -> UInt8? {
        guard let byte = next else {
            return nil
        }
        place += 1
        return byte
    }

    /// Skips the bytes of a string up to its end, an escape, or an invalid byte, and returns them.
    mutating func takePlain() -> UnsafeRawBufferPointer.SubSequence {
        let start = place
        while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""),
            byte != UInt8(ascii: "\\")
        {
            place += 1
        }
        return bytes[start..<place]
    }

    mutating func expect(_ character: Unicode.Scalar, _ what: String) throws(JSONFault) {
        guard take(character) else {
            throw JSONFault("expected \(what)", at: place)
        }
    }

    // MARK: - Values

    /// Skips a value with all its contents.
    ///
    /// Open objects and arrays are kept in an array instead of the stack, whose size is limited.
    mutating func skipValue() throws(JSONFault) {
        var open: [Unicode.Scalar] = []
        repeat {
            skipSpace()
            if take("{") {
                skipSpace()
                if !take("}") {
                    open.append("}")
                    try skipMemberName()
                    continue
                }
            } else if take("[") {
                skipSpace()
                if !take("]") {
                    open.append("]")
                    continue
                }
            } else {
                try skipScalar()
            }
            try skipEnds(of: &open)
        } while !open.isEmpty
    }

    /// Skips the text after a value: the ends of the objects and arrays that it closes, or the
    /// comma before the next value.
    private mutating func skipEnds(of open: inout [Unicode.Scalar]) throws(JSONFault) {
        while let end = open.last {
            skipSpace()
            if take(end) {
                open.removeLast()
                continue
            }
            try expect(",", "',' or '\(end)' in JSON")
            if end == "}" {
                try skipMemberName()
            }
            return
        }
    }

    private mutating func skipMemberName() throws(JSONFault) {
        skipSpace()
        try skipString()
        skipSpace()
        try expect(":", "':' after the name of a member")
    }

    private mutating func skipScalar() throws(JSONFault) {
        switch next {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): try skipNumber()
        default: _ = try word()
        }
    }

    /// Parses a scalar. Returns `nil` for a number outside the range of `Double`.
    ///
    /// Precondition: the next byte does not begin an object or array.
    mutating func scalar() throws(JSONFault) -> Scalar? {
        switch next {
        case UInt8(ascii: "\""):
            return .string(try string())
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            let start = place
            try skipNumber()
            let text = String(decoding: bytes[start..<place], as: UTF8.self)
            return Number(json: text).map(Scalar.number)
        default:
            return try word()
        }
    }

    private mutating func word() throws(JSONFault) -> Scalar {
        let words: [(StaticString, Scalar)] = [
            ("null", .null), ("true", .boolean(true)), ("false", .boolean(false)),
        ]
        for (word, scalar) in words {
            let count = word.utf8CodeUnitCount
            let text = UnsafeRawBufferPointer(start: word.utf8Start, count: count)
            if bytes[place...].starts(with: text) {
                place += count
                return scalar
            }
        }
        throw JSONFault("expected a value", at: place)
    }

    // MARK: - Numbers

    mutating func skipNumber() throws(JSONFault) {
        _ = take("-")
        if !take("0") {
            try skipDigits()
        }
        if take(".") {
            try skipDigits()
        }
        if take("e") || take("E") {
            if !take("+") {
                _ = take("-")
            }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(JSONFault) {
        let start = place
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            place += 1
        }
        guard place > start else {
            throw JSONFault("expected a digit", at: place)
        }
    }
}
