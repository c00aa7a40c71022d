// SPDX-License-Identifier: Apache-2.0

/// A key of what nodes offer upward: each ancestor sees what its subtree offers, reduced to one
/// value.
///
///     struct HealthKey: PreferenceKey {
///         static let defaultValue = 1.0
///         static let reducer = PreferenceReducer.min
///     }
///
/// The bus does the reducing, so the reducer is one that it knows by name.
public protocol PreferenceKey: SendableMetatype {
    associatedtype Value: Codable & Sendable & Equatable

    /// What is read where nobody offers anything.
    static var defaultValue: Value { get }

    /// How several values become one.
    static var reducer: PreferenceReducer { get }

    /// What the key is called on the bus; unless said otherwise, the type's name without `Key`
    /// behind it and with a small first letter: `health` for `HealthKey`.
    static var name: String { get }
}

extension PreferenceKey {
    public static var name: String {
        KeyName.standard(for: Self.self)
    }

    /// The offer of a value, or of none any more. Throws ``CascadeError`` or `NameError`.
    static func offer(_ value: Value?) throws -> PreferenceOffer {
        let json = try value.map {
            String(
                decoding: try PayloadCodec.encode($0, as: "value of '\(name)'"), as: UTF8.self)
        }
        return PreferenceOffer(try EventName(name), json, reducer)
    }
}
