// SPDX-License-Identifier: Apache-2.0

/// A key of the environment, or of preferences, without its type.
struct ErasedKey: Sendable {
    /// The key's type: two types may go by the same name on the bus.
    let id: ObjectIdentifier
    let name: String
    let isPreference: Bool
    let valueType: any Any.Type
    /// Makes a ``ValueBox`` of a value's JSON.
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

    /// The box for a value's JSON, or the default where there is none. Throws ``CascadeError`` if
    /// that is no value of the key.
    func box(_ json: String?) throws -> any AnyObject & Sendable {
        try json.map { try decode($0) } ?? empty
    }

    /// The key as the protocol has it. Throws `NameError`.
    var eventName: EventName {
        get throws {
            try EventName(name)
        }
    }
}

/// A value that was made from JSON once, for all who read it.
@usableFromInline
final class ValueBox<Value: Sendable>: Sendable {
    @usableFromInline let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
