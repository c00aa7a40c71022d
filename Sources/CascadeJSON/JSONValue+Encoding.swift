// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// Creates the JSON of an encodable value. Members have the order in which the value encodes them,
    /// and integers keep all digits.
    ///
    /// Throws `EncodingError` for a number that is not finite, and the errors of `value`.
    package init(encoding value: some Encodable) throws {
        self = try PartialJSON.json(of: value, at: [])
    }
}

/// The JSON of one value while the value is encoded.
private final class PartialJSON {
    private enum Content {
        /// The value has encoded nothing yet.
        case none
        case whole(JSONValue)
        case members([(key: String, value: PartialJSON)])
        case elements([PartialJSON])
    }

    private var content = Content.none

    static func json(of value: some Encodable, at path: [any CodingKey]) throws -> JSONValue {
        if let json = try scalar(value, at: path) {
            return json
        }
        let partial = PartialJSON()
        try value.encode(to: PartialEncoder(target: partial, codingPath: path))
        return partial.json
    }

    /// Returns the JSON of a value that is neither an object nor an array; `nil` for other values.
    private static func scalar(
        _ value: some Encodable, at path: [any CodingKey]
    ) throws -> JSONValue? {
        switch value {
        case let json as JSONValue: return json
        case let text as String: return .string(text)
        case let isTrue as Bool: return .bool(isTrue)
        case let number as any FixedWidthInteger: return .number("\(number)")
        case let number as Double: return try real(number, at: path)
        case let number as Float: return try real(number, at: path)
        default: return nil
        }
    }

    private static func real(
        _ number: some BinaryFloatingPoint & CustomStringConvertible, at path: [any CodingKey]
    ) throws -> JSONValue {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number, .init(codingPath: path, debugDescription: "JSON has no number \(number)"))
        }
        return .number(number.description)
    }

    private var json: JSONValue {
        switch content {
        case .none: .null
        case .whole(let json): json
        case .members(let members):
            .object(members.map { JSONValue.Member(key: $0.key, value: $0.value.json) })
        case .elements(let elements): .array(elements.map(\.json))
        }
    }

    // MARK: - Content

    func set(_ json: JSONValue) {
        content = .whole(json)
    }

    func beginObject() {
        if case .members = content {
            return
        }
        content = .members([])
    }

    func beginArray() {
        if case .elements = content {
            return
        }
        content = .elements([])
    }

    /// Appends a member whose value is encoded next.
    func appendMember(_ key: String) -> PartialJSON {
        let value = PartialJSON()
        if case .members(var members) = content {
            content = .none
            members.append((key, value))
            content = .members(members)
        }
        return value
    }

    /// Appends an element that is encoded next.
    func appendElement() -> PartialJSON {
        let value = PartialJSON()
        if case .elements(var elements) = content {
            content = .none
            elements.append(value)
            content = .elements(elements)
        }
        return value
    }

    var elementCount: Int {
        if case .elements(let elements) = content { elements.count } else { 0 }
    }
}

// MARK: - Containers

private struct PartialEncoder: Encoder {
    let target: PartialJSON
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] {
        [:]
    }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        target.beginObject()
        return KeyedEncodingContainer(MemberEncoder(target: target, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        target.beginArray()
        return ElementEncoder(target: target, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        ScalarEncoder(target: target, codingPath: codingPath)
    }
}

private struct MemberEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let target: PartialJSON
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) {
        target.appendMember(key.stringValue).set(.null)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let json = try PartialJSON.json(of: value, at: codingPath + [key])
        target.appendMember(key.stringValue).set(json)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy _: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder(key).container(keyedBy: Nested.self)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        encoder(JSONKey(stringValue: "super"))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        encoder(key)
    }

    private func encoder(_ key: any CodingKey) -> PartialEncoder {
        PartialEncoder(
            target: target.appendMember(key.stringValue), codingPath: codingPath + [key])
    }
}

private struct ElementEncoder: UnkeyedEncodingContainer {
    let target: PartialJSON
    let codingPath: [any CodingKey]

    var count: Int {
        target.elementCount
    }

    func encodeNil() {
        target.appendElement().set(.null)
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        let json = try PartialJSON.json(of: value, at: codingPath + [JSONKey(count)])
        target.appendElement().set(json)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy _: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        encoder().container(keyedBy: Nested.self)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        encoder().unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        encoder()
    }

    private func encoder() -> PartialEncoder {
        let key = JSONKey(count)
        return PartialEncoder(target: target.appendElement(), codingPath: codingPath + [key])
    }
}

private struct ScalarEncoder: SingleValueEncodingContainer {
    let target: PartialJSON
    let codingPath: [any CodingKey]

    func encodeNil() {
        target.set(.null)
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        target.set(try PartialJSON.json(of: value, at: codingPath))
    }
}
