// SPDX-License-Identifier: Apache-2.0

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
