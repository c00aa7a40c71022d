// SPDX-License-Identifier: Apache-2.0

/// A key of the environment, or of preferences, without its type.
struct ErasedKey: Sendable {
    /// The key's type: two types may go by the same name on the bus.
    let id: ObjectIdentifier
    let name: String
    let isPreference: Bool
    /// Makes a ``ValueBox`` of a value's JSON.
    private let decode: @Sendable (String) throws -> any AnyObject & Sendable
    /// A box without a value.
    let empty: any AnyObject & Sendable

    init<K: EnvironmentKey>(_ key: K.Type) {
        self.init(K.self, name: K.name, isPreference: false, K.Value.self)
    }

    init<K: PreferenceKey>(_ key: K.Type) {
        self.init(K.self, name: K.name, isPreference: true, K.Value.self)
    }

    private init<Value: Codable & Sendable>(
        _ key: any Any.Type, name: String, isPreference: Bool, _ value: Value.Type
    ) {
        id = ObjectIdentifier(key)
        self.name = name
        self.isPreference = isPreference
        empty = ValueBox<Value>(nil)
        decode = { json in
            ValueBox(
                try PayloadCodec.decode(
                    Value.self, as: "value of '\(name)'", from: json.utf8, contentType: nil))
        }
    }

    /// The box for a value's JSON; an empty one where there is none. Throws ``CascadeError`` if
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
final class ValueBox<Value: Sendable>: Sendable {
    /// `nil` where there is none.
    let value: Value?

    init(_ value: Value?) {
        self.value = value
    }
}
