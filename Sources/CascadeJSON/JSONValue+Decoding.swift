// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// Returns the value of a type that the JSON represents. Unknown members are ignored.
    ///
    /// Throws `DecodingError`, which names the member and the expected JSON, and the errors of the
    /// type.
    package func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try decoded(as: type, in: nil, nil)
    }

    /// - Parameters:
    ///   - parent: The value that this one is a part of.
    ///   - key: The key under which it is there.
    fileprivate func decoded<Value: Decodable>(
        as type: Value.Type, in parent: Place?, _ key: (any CodingKey)?
    ) throws -> Value {
        let found: Any?
        let expected: String
        switch type {
        case is String.Type: (found, expected) = (string, "a string")
        case is Bool.Type: (found, expected) = (bool, "true or false")
        case is JSONValue.Type: (found, expected) = (self, "a value")
        case is Double.Type: (found, expected) = (digits.flatMap { Double($0) }, "a number")
        case is Float.Type: (found, expected) = (digits.flatMap { Float($0) }, "a number")
        case let integer as any FixedWidthInteger.Type:
            (found, expected) = (read(integer), Self.expectation(integer))
        default:
            return try Value(from: ValueDecoder(place: Place(self, in: parent, key)))
        }
        guard let found = found as? Value else {
            throw Place(self, in: parent, key).mismatch(type, expected)
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

    /// A short description of the value for an error message.
    fileprivate var summary: String {
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

/// A value and where it stands. The keys that lead to it are listed only when they are asked for, as for an
/// error.
private final class Place {
    let json: JSONValue
    private let parent: Place?
    private let key: (any CodingKey)?

    init(_ json: JSONValue, in parent: Place?, _ key: (any CodingKey)?) {
        self.json = json
        self.parent = parent
        self.key = key
    }

    var codingPath: [any CodingKey] {
        (parent?.codingPath ?? []) + (key.map { [$0] } ?? [])
    }

    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        .typeMismatch(
            type,
            .init(
                codingPath: codingPath,
                debugDescription: "expected \(expected), found \(json.summary)"))
    }
}

private struct ValueDecoder: Decoder {
    let place: Place

    var codingPath: [any CodingKey] {
        place.codingPath
    }

    var userInfo: [CodingUserInfoKey: Any] {
        [:]
    }

    func container<Key: CodingKey>(
        keyedBy _: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = place.json else {
            throw place.mismatch([String: JSONValue].self, "an object")
        }
        return KeyedDecodingContainer(MemberDecoder(place: place, members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = place.json else {
            throw place.mismatch([JSONValue].self, "an array")
        }
        return ElementDecoder(place: place, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        ScalarDecoder(place: place)
    }
}

private struct MemberDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// The number of members that are looked through for each name; of more, the places are noted first.
    private static var scannedCountMax: Int { 32 }

    let place: Place
    private let members: [JSONValue.Member]
    private let indices: [String: Int]?

    init(place: Place, _ members: [JSONValue.Member]) {
        self.place = place
        self.members = members
        indices =
            members.count <= Self.scannedCountMax
            ? nil : Dictionary(zip(members.lazy.map(\.key), members.indices)) { $1 }
    }

    var codingPath: [any CodingKey] {
        place.codingPath
    }

    /// The names in the order of the JSON.
    var allKeys: [Key] {
        members.compactMap { Key(stringValue: $0.key) }
    }

    func contains(_ key: Key) -> Bool {
        member(key) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try value(key) == .null
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try value(key).decoded(as: type, in: place, key)
    }

    /// `null` is a value of ``JSONValue``, and the absence of a value of other types.
    func decodeIfPresent<Value: Decodable>(
        _ type: Value.Type, forKey key: Key
    ) throws -> Value? {
        guard let value = member(key), value != .null || type is JSONValue.Type else {
            return nil
        }
        return try value.decoded(as: type, in: place, key)
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
        return ValueDecoder(place: Place(member(key) ?? .null, in: place, key))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try decoder(key)
    }

    private func decoder(_ key: Key) throws -> ValueDecoder {
        ValueDecoder(place: Place(try value(key), in: place, key))
    }

    private func value(_ key: Key) throws -> JSONValue {
        guard let value = member(key) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "the member is missing"))
        }
        return value
    }

    /// Of several members with the same name the last one counts.
    private func member(_ key: some CodingKey) -> JSONValue? {
        let name = key.stringValue
        if let indices {
            return indices[name].map { members[$0].value }
        }
        return members.last { $0.key == name }?.value
    }
}

private struct ElementDecoder: UnkeyedDecodingContainer {
    let place: Place
    let elements: [JSONValue]
    private(set) var currentIndex = 0

    init(place: Place, elements: [JSONValue]) {
        self.place = place
        self.elements = elements
    }

    var codingPath: [any CodingKey] {
        place.codingPath
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
        let value = try next().decoded(as: type, in: place, JSONKey(currentIndex))
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy _: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try nextDecoder().container(keyedBy: Nested.self)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try nextDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        try nextDecoder()
    }

    /// Takes the next element. Once it is read, whether or not it is what the caller expects, the one after
    /// it is next.
    private mutating func nextDecoder() throws -> ValueDecoder {
        let decoder = ValueDecoder(place: Place(try next(), in: place, JSONKey(currentIndex)))
        currentIndex += 1
        return decoder
    }

    private func next() throws -> JSONValue {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                JSONValue.self,
                .init(
                    codingPath: codingPath + [JSONKey(currentIndex)],
                    debugDescription: "the element is missing"))
        }
        return elements[currentIndex]
    }
}

private struct ScalarDecoder: SingleValueDecodingContainer {
    let place: Place

    var codingPath: [any CodingKey] {
        place.codingPath
    }

    func decodeNil() -> Bool {
        place.json == .null
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try place.json.decoded(as: type, in: place, nil)
    }
}
