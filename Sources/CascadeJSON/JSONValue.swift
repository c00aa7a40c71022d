// SPDX-License-Identifier: Apache-2.0

/// A JSON document or a part of one. Members keep their order, and numbers all their digits.
///
/// Payloads of applications pass through this type. A coder that reads numbers as floating point, or
/// that does not keep the order of members, would change them.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number in JSON's notation.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// A member of an object.
    public struct Member: Hashable, Sendable {
        public var key: String
        public var value: JSONValue

        public init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// Returns an object of the members that have a value.
    package static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(memberList(members))
    }

    /// Returns the members that have a value.
    package static func memberList(_ members: KeyValuePairs<String, JSONValue?>) -> [Member] {
        members.compactMap { member in
            member.value.map { Member(key: member.key, value: $0) }
        }
    }

    /// Returns a number without a fraction.
    package static func integer(_ value: some BinaryInteger) -> JSONValue {
        .number(String(value))
    }

    /// Returns a string with the description of `value`.
    package static func text(_ value: some CustomStringConvertible) -> JSONValue {
        .string(value.description)
    }

    /// The value of the member `key`; `nil` if this is not an object with such a member. Of several
    /// members with the same key the last one counts, as in most JSON parsers.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else {
            return nil
        }
        return members.last { $0.key == key }?.value
    }

    /// The text of a string; `nil` for other values.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of a Boolean; `nil` for other values.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// Returns a number as an integer; `nil` for other values, for a fraction, and for a number that
    /// does not fit.
    public func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value? {
        if case .number(let digits) = self { Value(digits) } else { nil }
    }

    /// The elements of an array; none for other values.
    public var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The members of an object; none for other values.
    public var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

// MARK: - Reading

extension JSONValue {
    /// The default limit of the depth of a value. Writing and freeing a value use stack for each level.
    package static let depthMax = 512

    /// Reads one whole document. Throws ``JSONError`` if the bytes are not JSON, or if more than
    /// `depthMax` objects and arrays are nested.
    package init(
        parsing bytes: UnsafeRawBufferPointer, depthMax: Int = depthMax
    ) throws(JSONError) {
        var cursor = JSONCursor(bytes)
        self = try cursor.readValue(depthMax: depthMax)
        try cursor.expectEnd()
    }

    package init(
        parsing bytes: some Collection<UInt8>, depthMax: Int = depthMax
    ) throws(JSONError) {
        self = try bytes.withRawBytes { bytes in
            Result { () throws(JSONError) in try Self(parsing: bytes, depthMax: depthMax) }
        }.get()
    }

    /// Reads one whole document from a text.
    package init(parsing text: String, depthMax: Int = depthMax) throws(JSONError) {
        try self.init(parsing: text.utf8, depthMax: depthMax)
    }
}

extension JSONCursor {
    /// Reads a value of at most `depthMax` levels.
    package mutating func readValue(depthMax: Int) throws(JSONError) -> JSONValue {
        try readValue(depth: 0, depthMax)
    }

    private mutating func readValue(depth: Int, _ depthMax: Int) throws(JSONError) -> JSONValue {
        guard isAtContainer() else {
            return try readScalar()
        }
        guard depth < depthMax else {
            var error = JSONError("nested more than \(depthMax) levels deep", at: offset)
            error.isTooDeep = true
            throw error
        }
        if next == UInt8(ascii: "{") {
            var members: [JSONValue.Member] = []
            try readObject { cursor, name throws(JSONError) in
                let value = try cursor.readValue(depth: depth + 1, depthMax)
                members.append(JSONValue.Member(key: name, value: value))
            }
            return .object(members)
        }
        var elements: [JSONValue] = []
        try readArray { cursor throws(JSONError) in
            elements.append(try cursor.readValue(depth: depth + 1, depthMax))
        }
        return .array(elements)
    }
}

extension Collection<UInt8> {
    /// Calls `body` with the bytes as one buffer. Copies them only if their storage is not contiguous.
    package func withRawBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let result = withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
        return result ?? Array(self).withUnsafeBytes(body)
    }
}

// MARK: - Writing

extension JSONValue {
    /// The value on one line, without optional whitespace. Characters that control a terminal are
    /// escaped; every JSON parser decodes the escapes.
    public var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let digits): text += digits
        case .string(let string): Self.write(string, to: &text)
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                text += index == 0 ? "" : ","
                element.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                text += index == 0 ? "" : ","
                Self.write(member.key, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        // Most strings need no escape.
        guard !string.utf8.allSatisfy(isPlain) else {
            text += string
            text += "\""
            return
        }
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.controlsTerminal:
                for unit in UTF16.encode(scalar) ?? .init() {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    /// Whether the byte needs no escape in a string.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}

extension Unicode.Scalar {
    /// Whether a terminal may interpret the character instead of showing it: a control, format,
    /// separator, private-use or unassigned character.
    package var controlsTerminal: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }
}
