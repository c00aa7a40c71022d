// SPDX-License-Identifier: Apache-2.0

/// A key of the preferences that nodes offer upward. Each ancestor reads the preferences of its
/// subtree, reduced to one value.
///
///     struct HealthKey: PreferenceKey {
///         static let defaultValue = 1.0
///         static let reducer = PreferenceReducer.min
///     }
///
/// The bus performs the reduction, so the reducer is one that the bus knows by name.
public protocol PreferenceKey: SendableMetatype {
    associatedtype Value: Codable & Sendable & Equatable

    /// The value that is read if no node offers one.
    static var defaultValue: Value { get }

    /// The reduction of several values to one.
    static var reducer: PreferenceReducer { get }

    /// The name of the key on the bus. By default, the type's name without the suffix `Key` and
    /// with a lowercase first letter: `health` for `HealthKey`.
    static var name: String { get }
}

extension PreferenceKey {
    public static var name: String {
        KeyName.standard(for: Self.self)
    }

    /// Returns the offer of a value; `nil` withdraws it. Throws ``CascadeError`` or `NameError`.
    static func offer(_ value: Value?) throws -> PreferenceOffer {
        let json = try value.map {
            String(
                decoding: try PayloadCodec.encode($0, as: "value of '\(name)'"), as: UTF8.self)
        }
        return PreferenceOffer(try EventName(name), json, reducer)
    }
}
