// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// Returns the value of a type that the JSON represents. Unknown members are ignored.
    ///
    /// Throws `DecodingError`, which names the member and the expected JSON, and the errors of the
    /// type.
    package func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try decoded(as: type, at: [])
    }

    fileprivate func decoded<Value: Decodable>(
        as type: Value.Type, at path: [any CodingKey]
    ) throws -> Value {
        let found: Any?
        let expected: String
        switch type {
        case is JSONValue.Type: (found, expected) = (self, "a value")
        case is String.Type: (found, expected) = (string, "a string")
        case is Bool.Type: (found, expected) = (bool, "true or false")
        case is Double.Type: (found, expected) = (digits.flatMap { Double($0) }, "a number")
        case is Float.Type: (found, expected) = (digits.flatMap { Float($0) }, "a number")
        case let integer as any FixedWidthInteger.Type:
            (found, expected) = (read(integer), Self.expectation(integer))
        default:
            return try Value(from: ValueDecoder(json: self, codingPath: path))
        }
        guard let found = found as? Value else {
            throw mismatch(type, expected, at: path)
        }
        return found
    }

    private var digits: String? {
        if case .number(let digits) = self { digits } else { nil }
    }

    private func read<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
        digits.flatMap { Value($0) }
    }

    private static func expectation<Value: FixedWidthInteger>(_: Value.Type) -> String {
        "a whole number from \(Value.min) to \(Value.max)"
    }

    fileprivate func mismatch(
        _ type: Any.Type, _ expected: String, at path: [any CodingKey]
    ) -> DecodingError {
        .typeMismatch(
            type,
            .init(codingPath: path, debugDescription: "expected \(expected), found \(summary)"))
    }

    /// A short description of the value for an error message.
    private var summary: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let digits): "the number \(digits.prefix(32))"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// The name of a member, or the index of an element.
package struct JSONKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(_ index: Int) {
        stringValue = "\(index)"
        intValue = index
    }

    package init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    package init?(intValue: Int) {
        self.init(intValue)
    }
}

// MARK: - Containers

private struct ValueDecoder: Decoder {
    let json: JSONValue
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] {
        [:]
    }

    func container<Key: CodingKey>(
        keyedBy _: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = json else {
            throw json.mismatch([String: JSONValue].self, "an object", at: codingPath)
        }
        return KeyedDecodingContainer(MemberDecoder(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = json else {
            throw json.mismatch([JSONValue].self, "an array", at: codingPath)
        }
        return ElementDecoder(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        ScalarDecoder(json: json, codingPath: codingPath)
    }
}

private struct MemberDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let names: [String]
    /// Of several members with the same name the last one counts.
    private let values: [String: JSONValue]
    let codingPath: [any CodingKey]

    init(members: [JSONValue.Member], codingPath: [any CodingKey]) {
        names = members.map(\.key)
        values = Dictionary(members.map { ($0.key, $0.value) }) { $1 }
        self.codingPath = codingPath
    }

    /// The names in the order of the JSON.
    var allKeys: [Key] {
        names.compactMap { Key(stringValue: $0) }
    }

    func contains(_ key: Key) -> Bool {
        values[key.stringValue] != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try value(key) == .null
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try value(key).decoded(as: type, at: codingPath + [key])
    }

    /// `null` is a value of ``JSONValue``, and the absence of a value of other types.
    func decodeIfPresent<Value: Decodable>(
        _ type: Value.Type, forKey key: Key
    ) throws -> Value? {
        guard let value = values[key.stringValue], value != .null || type is JSONValue.Type else {
            return nil
        }
        return try value.decoded(as: type, at: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy _: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: Nested.self)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let key = JSONKey(stringValue: "super")
        return ValueDecoder(json: values[key.stringValue] ?? .null, codingPath: codingPath + [key])
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try decoder(key)
    }

    private func decoder(_ key: Key) throws -> ValueDecoder {
        ValueDecoder(json: try value(key), codingPath: codingPath + [key])
    }

    private func value(_ key: Key) throws -> JSONValue {
        guard let value = values[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "the member is missing"))
        }
        return value
    }
}

private struct ElementDecoder: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(elements: [JSONValue], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? {
        elements.count
    }

    var isAtEnd: Bool {
        currentIndex >= elements.count
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex] == .null else {
            return false
        }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let next = try nextDecoder()
        let value = try next.json.decoded(as: type, at: next.codingPath)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy _: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try nextDecoder().container(keyedBy: Nested.self)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try nextDecoder().unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try nextDecoder()
        currentIndex += 1
        return decoder
    }

    private func nextDecoder() throws -> ValueDecoder {
        let path = codingPath + [JSONKey(currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                JSONValue.self, .init(codingPath: path, debugDescription: "the element is missing"))
        }
        return ValueDecoder(json: elements[currentIndex], codingPath: path)
    }
}

private struct ScalarDecoder: SingleValueDecodingContainer {
    let json: JSONValue
    let codingPath: [any CodingKey]

    func decodeNil() -> Bool {
        json == .null
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try json.decoded(as: type, at: codingPath)
    }
}
