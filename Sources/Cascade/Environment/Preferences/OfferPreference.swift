// SPDX-License-Identifier: Apache-2.0

/// Offers preferences to the nodes above while the node is in the tree; called like a function.
///
///     @Environment(\.prefer) var prefer
///     …
///     try await prefer(HealthKey.self, 0.5)
///
/// A call returns when the bus has accepted the value. It throws ``CascadeError`` if the bus
/// refuses it.
public struct OfferPreference: Sendable {
    let surroundings: NodeSurroundings?

    /// Offers a value, which replaces the value that the node offered before.
    ///
    /// For its ancestors, the node's own value replaces those of its subtree.
    public func callAsFunction<K: PreferenceKey>(_ key: K.Type, _ value: K.Value) async throws {
        try await offer(K.offer(value))
    }

    /// Withdraws the value that the node has offered.
    public func withdraw<K: PreferenceKey>(_ key: K.Type) async throws {
        try await offer(K.offer(nil))
    }

    private func offer(_ offer: PreferenceOffer) async throws {
        try await NodeSurroundings.running(surroundings).set(Assignments(offers: [offer]))
    }
}
