// SPDX-License-Identifier: Apache-2.0

/// A position in JSON (RFC 8259) that advances as values are read or skipped.
///
/// It is the only parser of JSON. A caller that needs a whole value reads a ``JSONValue``. A caller that
/// needs few members reads those and skips the rest, which allocates no values.
package struct JSONCursor {
    let bytes: UnsafeRawBufferPointer

    /// The offset of the next byte.
    package internal(set) var offset: Int

    /// Creates a cursor. The bytes must outlive it.
    package init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// Whether the byte is whitespace: space, line feed, carriage return or tab.
    @inlinable
    package static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    var next: UInt8? {
        offset < bytes.count ? bytes[offset] : nil
    }

    mutating func skipSpace() {
        while let byte = next, Self.isSpace(byte) {
            offset += 1
        }
    }

    /// Skips the character if it is next. Returns whether it was.
    mutating func accept(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else {
            return false
        }
        offset += 1
        return true
    }

    /// Skips the character. Throws if another one is next.
    mutating func expect(
        _ character: Unicode.Scalar, _ what: @autoclosure () -> String
    ) throws(JSONError) {
        guard accept(character) else {
            throw JSONError("expected \(what())", at: offset)
        }
    }

    /// Skips whitespace. Throws if anything else follows.
    package mutating func expectEnd() throws(JSONError) {
        skipSpace()
        guard next == nil else {
            throw JSONError("expected the end", at: offset)
        }
    }

    // MARK: - Objects and arrays

    /// Whether the next value is an object or an array.
    package mutating func isAtContainer() -> Bool {
        skipSpace()
        return next == UInt8(ascii: "{") || next == UInt8(ascii: "[")
    }

    /// Reads an object. Calls `readValue` with each member's name; the closure must read or skip the
    /// member's value.
    package mutating func readObject(
        _ readValue: (inout JSONCursor, String) throws(JSONError) -> Void
    ) throws(JSONError) {
        skipSpace()
        try expect("{", "an object")
        skipSpace()
        guard !accept("}") else {
            return
        }
        repeat {
            skipSpace()
            try expectMemberName()
            let name = try readString()
            try expectColon()
            try readValue(&self, name)
            skipSpace()
        } while accept(",")
        try expect("}", "',' or '}' in JSON")
    }

    /// Reads an array. Calls `readElement` for each element; the closure must read or skip one value.
    mutating func readArray(
        _ readElement: (inout JSONCursor) throws(JSONError) -> Void
    ) throws(JSONError) {
        try expect("[", "an array")
        skipSpace()
        guard !accept("]") else {
            return
        }
        repeat {
            try readElement(&self)
            skipSpace()
        } while accept(",")
        try expect("]", "',' or ']' in JSON")
    }

    /// Skips a value of any depth.
    ///
    /// The open objects and arrays are kept in an array and not on the stack, whose size the sender
    /// of the JSON would otherwise choose.
    package mutating func skipValue() throws(JSONError) {
        var open: [Unicode.Scalar] = []
        repeat {
            skipSpace()
            if accept("{") {
                skipSpace()
                if !accept("}") {
                    open.append("}")
                    try skipMemberName()
                    continue
                }
            } else if accept("[") {
                skipSpace()
                if !accept("]") {
                    open.append("]")
                    continue
                }
            } else {
                try skipScalar()
            }
            try skipEnds(of: &open)
        } while !open.isEmpty
    }

    /// Skips the tokens after a value: the ends of the objects and arrays that end with it, and the comma
    /// before the next value.
    private mutating func skipEnds(of open: inout [Unicode.Scalar]) throws(JSONError) {
        while let end = open.last {
            skipSpace()
            if accept(end) {
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

    private mutating func skipMemberName() throws(JSONError) {
        skipSpace()
        try expectMemberName()
        try skipString()
        try expectColon()
    }

    private func expectMemberName() throws(JSONError) {
        guard next == UInt8(ascii: "\"") else {
            throw JSONError("expected the name of a member in double quotes", at: offset)
        }
    }

    private mutating func expectColon() throws(JSONError) {
        skipSpace()
        try expect(":", "':' after the name of a member")
    }

    // MARK: - Scalars

    /// Reads a string, a number, `true`, `false` or `null`.
    package mutating func readScalar() throws(JSONError) -> JSONValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "\""):
            return .string(try readString())
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            let start = offset
            try skipNumber()
            return .number(String(decoding: bytes[start..<offset], as: UTF8.self))
        default:
            return try readWord()
        }
    }

    private mutating func skipScalar() throws(JSONError) {
        switch next {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): try skipNumber()
        default: _ = try readWord()
        }
    }

    private mutating func readWord() throws(JSONError) -> JSONValue {
        if accept(word: "null") {
            return .null
        } else if accept(word: "true") {
            return .bool(true)
        } else if accept(word: "false") {
            return .bool(false)
        }
        throw JSONError("expected a value", at: offset)
    }

    private mutating func accept(word: StaticString) -> Bool {
        let word = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard bytes[offset...].starts(with: word) else {
            return false
        }
        offset += word.count
        return true
    }

    /// Skips a number; on an error, the cursor is at its first invalid byte.
    package mutating func skipNumber() throws(JSONError) {
        _ = accept("-")
        if !accept("0") {
            try skipDigits()
        }
        if accept(".") {
            try skipDigits()
        }
        if accept("e") || accept("E") {
            if !accept("+") {
                _ = accept("-")
            }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(JSONError) {
        let start = offset
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            offset += 1
        }
        guard offset > start else {
            throw JSONError("expected a digit", at: offset)
        }
    }
}

// MARK: - Errors

/// The reason why bytes are not valid JSON, and the offset of the first invalid byte.
package struct JSONError: Error, Equatable, CustomStringConvertible {
    package let message: String

    /// The offset of the first invalid byte, counted from 0.
    package let offset: Int

    /// Whether the JSON exceeds the limit of depth.
    package var isTooDeep = false

    package init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }

    package var description: String {
        "\(message) at byte \(offset + 1)"
    }
}
