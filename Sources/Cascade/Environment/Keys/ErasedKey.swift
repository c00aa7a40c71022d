// SPDX-License-Identifier: Apache-2.0

/// A type-erased key of the environment or of preferences.
struct ErasedKey: Sendable {
    /// The identity of the key's type. Two types may have the same name on the bus.
    let id: ObjectIdentifier
    let name: String
    let isPreference: Bool
    let valueType: any Any.Type
    /// Decodes JSON into a ``ValueBox``.
    private let decode: @Sendable (String) throws -> any AnyObject & Sendable
    /// A box with the key's default.
    let empty: any AnyObject & Sendable

    init<K: EnvironmentKey>(_ key: K.Type) {
        self.init(K.self, name: K.name, isPreference: false, K.defaultValue)
    }

    init<K: PreferenceKey>(_ key: K.Type) {
        self.init(K.self, name: K.name, isPreference: true, K.defaultValue)
    }

    private init<Value: Codable & Sendable>(
        _ key: any Any.Type, name: String, isPreference: Bool, _ defaultValue: Value
    ) {
        id = ObjectIdentifier(key)
        self.name = name
        self.isPreference = isPreference
        valueType = Value.self
        empty = ValueBox(defaultValue)
        decode = { json in
            ValueBox(
                try PayloadCodec.decode(
                    Value.self, as: "value of '\(name)'", from: json.utf8, contentType: nil))
        }
    }

    /// Returns the box of a decoded value, or the default for `nil`. Throws ``CascadeError`` if the
    /// JSON is not a value of the key.
    func box(_ json: String?) throws -> any AnyObject & Sendable {
        try json.map { try decode($0) } ?? empty
    }

    /// The key's name in the form of the protocol. Throws `NameError`.
    var eventName: EventName {
        get throws {
            try EventName(name)
        }
    }
}

/// A value that was decoded once and is shared by all readers.
@usableFromInline
final class ValueBox<Value: Sendable>: Sendable {
    @usableFromInline let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
