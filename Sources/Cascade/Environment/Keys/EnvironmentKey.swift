// SPDX-License-Identifier: Apache-2.0

/// A key of the environment, with the type of its values and their default.
///
///     struct PaperSizeKey: EnvironmentKey {
///         static let defaultValue = PaperSize.a4
///     }
///
///     extension EnvironmentValues {
///         var paperSize: PaperSize {
///             get { self[PaperSizeKey.self] }
///             set { self[PaperSizeKey.self] = newValue }
///         }
///     }
///
/// On the bus a value is the JSON of its Codable form, so that rules, people, and programs in any
/// language can read and set it.
public protocol EnvironmentKey: SendableMetatype {
    associatedtype Value: Codable & Sendable & Equatable

    /// The value that is read if none is set, or if the value on the bus cannot be decoded as
    /// `Value`.
    static var defaultValue: Value { get }

    /// The name of the key on the bus. By default, the type's name without the suffix `Key` and
    /// with a lowercase first letter: `paperSize` for `PaperSizeKey`.
    static var name: String { get }
}

extension EnvironmentKey {
    public static var name: String {
        KeyName.standard(for: Self.self)
    }
}

/// The default names of keys on the bus.
enum KeyName {
    private static let ending = "Key"

    /// Returns the name of a key whose type declares none.
    static func standard(for type: Any.Type) -> String {
        var name = Substring(String(describing: type))
        if name.hasSuffix(ending), name.count > ending.count {
            name.removeLast(ending.count)
        }
        return name.prefix(1).lowercased() + name.dropFirst()
    }
}

/// The readers of a value that a node sets.
public enum EnvironmentScope: Sendable {
    /// The nodes below the node.
    case subtree
    /// The node itself, and the nodes below it.
    case itself
}

/// A value that code has assigned to a key.
struct AssignedValue: Sendable {
    let key: ErasedKey
    let box: any AnyObject & Sendable
    private let encode: @Sendable () throws -> [UInt8]

    init<K: EnvironmentKey>(_ key: K.Type, _ value: K.Value) {
        let name = K.name
        self.key = ErasedKey(key)
        box = ValueBox<K.Value>(value)
        encode = { try PayloadCodec.encode(value, as: "value of '\(name)'") }
    }

    /// The value as JSON. Throws ``CascadeError`` if it cannot be encoded.
    var json: String {
        get throws {
            String(decoding: try encode(), as: UTF8.self)
        }
    }

    func setting(_ scope: EnvironmentScope, isSticky: Bool) throws -> EnvironmentSetting {
        EnvironmentSetting(
            try key.eventName, try json, isForItself: scope == .itself, isSticky: isSticky)
    }
}

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
