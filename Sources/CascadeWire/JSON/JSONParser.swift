// SPDX-License-Identifier: Apache-2.0

/// Reads JSON (RFC 8259), no more and no less.
package struct JSONParser {
    private let bytes: ArraySlice<UInt8>
    private let start: Int
    private var place: Int

    /// Deeper nesting is refused, before it exhausts the stack.
    private static let depthMax = 512

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        start = bytes.startIndex
        place = bytes.startIndex
    }

    /// Reads one whole document. Throws ``JSONError`` if the bytes are none.
    package static func parse(_ bytes: ArraySlice<UInt8>) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.next == nil else {
            throw parser.error("there is more behind the end of the JSON")
        }
        return value
    }

    package static func parse(_ text: String) throws(JSONError) -> JSONValue {
        try parse(Array(text.utf8)[...])
    }

    private var next: UInt8? {
        place < bytes.endIndex ? bytes[place] : nil
    }

    private func error(_ what: String) -> JSONError {
        JSONError(what, atByte: place - start)
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            place += 1
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else {
            return false
        }
        place += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard depth < Self.depthMax else {
            throw error("more than \(Self.depthMax) levels of JSON")
        }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func word(
        _ word: String, _ value: JSONValue
    ) throws(JSONError) -> JSONValue {
        guard bytes[place...].starts(with: word.utf8) else {
            throw error("no JSON value")
        }
        place += word.utf8.count
        return value
    }

    // MARK: - Objects and arrays

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        var members: [JSONValue.Member] = []
        place += 1
        skipSpace()
        guard !take("}") else {
            return .object([])
        }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else {
                throw error("no name of a member")
            }
            let key = try string()
            skipSpace()
            guard take(":") else {
                throw error("no ':' behind the name of a member")
            }
            members.append(JSONValue.Member(key: key, value: try value(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else {
            throw error("an object does not end")
        }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        place += 1
        skipSpace()
        guard !take("]") else {
            return .array([])
        }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else {
            throw error("an array does not end")
        }
        return .array(elements)
    }

    // MARK: - Numbers

    private mutating func number() throws(JSONError) -> String {
        let begin = place
        _ = take("-")
        if !take("0") {
            try digits()
        }
        if take(".") {
            try digits()
        }
        if take("e") || take("E") {
            if !take("+") {
                _ = take("-")
            }
            try digits()
        }
        return String(decoding: bytes[begin..<place], as: UTF8.self)
    }

    private mutating func digits() throws(JSONError) {
        let begin = place
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            place += 1
        }
        guard place > begin else {
            throw error("no JSON value")
        }
    }

    // MARK: - Strings

    private mutating func string() throws(JSONError) -> String {
        place += 1
        var text: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else {
                throw error("a control character in a string")
            }
            place += 1
            if byte == UInt8(ascii: "\\") {
                text.append(contentsOf: try escaped().utf8)
            } else {
                text.append(byte)
            }
        }
        guard take("\""), let string = String(validating: text, as: UTF8.self) else {
            throw error("a string that does not end, or is no UTF-8,")
        }
        return string
    }

    private mutating func escaped() throws(JSONError) -> String {
        let byte = next
        place += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try codePoint()
        default: throw error("an escape that JSON does not have")
        }
    }

    /// One or two escaped code units that make one character.
    private mutating func codePoint() throws(JSONError) -> String {
        var units = [try codeUnit()]
        if UTF16.isLeadSurrogate(units[0]), take("\\"), take("u") {
            units.append(try codeUnit())
        }
        guard let character = String(validating: units, as: UTF16.self) else {
            throw error("half of a surrogate pair")
        }
        return character
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        let digits = bytes[place...].prefix(4)
        let text = String(decoding: digits, as: UTF8.self)
        guard digits.count == 4, digits.allSatisfy({ !"+-".utf8.contains($0) }),
            let unit = UInt16(text, radix: 16)
        else {
            throw error("no four hexadecimal digits behind \\u")
        }
        place += 4
        return unit
    }
}
