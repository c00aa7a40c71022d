// SPDX-License-Identifier: Apache-2.0

/// A key of the preferences that nodes offer upward. Each ancestor reads the preferences of its
/// subtree, reduced to one value.
///
/// As in SwiftUI, a node that offers a value itself masks the nodes below it: the node and its
/// ancestors read its value alone. A node that is to combine its own value with theirs leaves the
/// offer to a child.
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

/// Offers preferences to the nodes above while the node is in the tree; called like a function.
///
///     @Environment(\.prefer) var prefer
///     …
///     try await prefer(HealthKey.self, 0.5)
///
/// A call returns when the bus has accepted the value. It throws ``CascadeError`` if the bus
/// refuses it.
public struct OfferPreference: Sendable {
    let runningNode: RunningNode?

    /// Offers a value, which replaces the value that the node offered before. Throws
    /// ``CascadeError`` if the bus refuses the value, or if it cannot be encoded.
    ///
    /// For its ancestors, the node's own value replaces those of its subtree.
    public func callAsFunction<K: PreferenceKey>(_ key: K.Type, _ value: K.Value) async throws {
        try await offer(K.offer(value))
    }

    /// Withdraws the value that the node has offered. Its ancestors then read the values of its
    /// subtree again. Throws ``CascadeError`` if the worker has ended.
    public func withdraw<K: PreferenceKey>(_ key: K.Type) async throws {
        try await offer(K.offer(nil))
    }

    private func offer(_ offer: PreferenceOffer) async throws {
        try await RunningNode.running(runningNode).set(Assignments(offers: [offer]))
    }
}

/// The preferences of the running node's subtree.
public struct PreferenceValues: Sendable {
    let runningNode: RunningNode?

    /// The values that the nodes below offer, reduced to one; the key's default if no node offers
    /// one. An offer masks those below it: if the running node offers a value itself, it reads that
    /// value.
    ///
    /// A key that the node does not watch yet, see ``NodeConvertible/watch(preference:)``, is watched from the
    /// first access on. It reads as its default until its value has arrived.
    public subscript<K: PreferenceKey>(key: K.Type) -> K.Value {
        guard let runningNode else {
            return K.defaultValue
        }
        guard let value = runningNode.environment.snapshot.value(of: key) else {
            runningNode.watch([ErasedKey(key)])
            return K.defaultValue
        }
        return value
    }
}
