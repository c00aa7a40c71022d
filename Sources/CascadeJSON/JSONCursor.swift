// SPDX-License-Identifier: Apache-2.0

/// A position in JSON (RFC 8259) that advances as values are read or skipped.
///
/// This is the only parser of JSON. A caller that needs a value reads a ``JSONValue``. A caller that
/// needs few members reads those and skips the rest, which allocates no values.
package struct JSONCursor {
    let bytes: UnsafeRawBufferPointer

    /// The offset of the next byte.
    package internal(set) var offset: Int

    /// The bytes must outlive the cursor.
    package init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// Whether the byte separates tokens and has no other meaning.
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

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else {
            return false
        }
        offset += 1
        return true
    }

    mutating func expect(
        _ character: Unicode.Scalar, _ what: @autoclosure () -> String
    ) throws(JSONError) {
        guard take(character) else {
            throw JSONError("expected \(what())", at: offset)
        }
    }

    /// Throws unless only space follows.
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

    /// Takes an object. Calls `takeValue` with each member's name; it must take the member's value.
    package mutating func takeObject(
        _ takeValue: (inout JSONCursor, String) throws(JSONError) -> Void
    ) throws(JSONError) {
        skipSpace()
        try expect("{", "an object")
        skipSpace()
        guard !take("}") else {
            return
        }
        repeat {
            skipSpace()
            try expectMemberName()
            let name = try takeString()
            try expectColon()
            try takeValue(&self, name)
            skipSpace()
        } while take(",")
        try expect("}", "',' or '}' in JSON")
    }

    /// Takes an array. `takeElement` must take one value.
    mutating func takeArray(
        _ takeElement: (inout JSONCursor) throws(JSONError) -> Void
    ) throws(JSONError) {
        try expect("[", "an array")
        skipSpace()
        guard !take("]") else {
            return
        }
        repeat {
            try takeElement(&self)
            skipSpace()
        } while take(",")
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

    /// Skips the tokens after a value: the ends of the objects and arrays that it completes, or the
    /// comma before the next value.
    private mutating func skipEnds(of open: inout [Unicode.Scalar]) throws(JSONError) {
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

    /// Takes a string, a number, `true`, `false` or `null`.
    package mutating func takeScalar() throws(JSONError) -> JSONValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "\""):
            return .string(try takeString())
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            let start = offset
            try skipNumber()
            return .number(String(decoding: bytes[start..<offset], as: UTF8.self))
        default:
            return try takeWord()
        }
    }

    private mutating func skipScalar() throws(JSONError) {
        switch next {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): try skipNumber()
        default: _ = try takeWord()
        }
    }

    private mutating func takeWord() throws(JSONError) -> JSONValue {
        if skip("null") {
            return .null
        } else if skip("true") {
            return .bool(true)
        } else if skip("false") {
            return .bool(false)
        }
        throw JSONError("expected a value", at: offset)
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        let word = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard bytes[offset...].starts(with: word) else {
            return false
        }
        offset += word.count
        return true
    }

    /// Skips a number; on an error, the cursor is at its first invalid byte.
    package mutating func skipNumber() throws(JSONError) {
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

/// The reason why bytes are not valid JSON, and the first invalid byte.
package struct JSONError: Error, Equatable, CustomStringConvertible {
    package let message: String

    /// The offset of the byte, counted from 0.
    package let offset: Int

    /// Whether the only fault of the JSON is its depth.
    package var isTooDeep = false

    package init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }

    package var description: String {
        "\(message) at byte \(offset + 1)"
    }
}
