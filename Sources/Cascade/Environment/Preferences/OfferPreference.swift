// SPDX-License-Identifier: Apache-2.0

/// Offers values upward while the node stands in the tree; called like a function.
///
///     @Environment(\.prefer) var prefer
///     …
///     try await prefer(HealthKey.self, 0.5)
///
/// A call returns when the bus has the value, and throws ``CascadeError`` if it refuses it.
public struct OfferPreference: Sendable {
    let surroundings: NodeSurroundings?

    /// Offers a value in place of what the node has offered before.
    ///
    /// To its ancestors the node's own value stands for all of its subtree.
    public func callAsFunction<K: PreferenceKey>(_ key: K.Type, _ value: K.Value) async throws {
        try await offer(K.offer(value))
    }

    /// Takes back what the node has offered.
    public func withdraw<K: PreferenceKey>(_ key: K.Type) async throws {
        try await offer(K.offer(nil))
    }

    private func offer(_ offer: PreferenceOffer) async throws {
        try await NodeSurroundings.running(surroundings).set(Assignments(offers: [offer]))
    }
}
