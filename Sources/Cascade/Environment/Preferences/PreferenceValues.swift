// SPDX-License-Identifier: Apache-2.0

/// The preferences of the running node's subtree.
public struct PreferenceValues: Sendable {
    let surroundings: NodeSurroundings?

    /// The values that the nodes below offer, reduced to one; the key's default if no node offers
    /// one.
    ///
    /// A key that the node does not watch yet, see ``Node/watch(preference:)``, is watched from the
    /// first access on. It reads as its default until its value has arrived.
    public subscript<K: PreferenceKey>(key: K.Type) -> K.Value {
        guard let surroundings else {
            return K.defaultValue
        }
        guard let value = surroundings.environment.snapshot.value(of: key) else {
            surroundings.watch([ErasedKey(key)])
            return K.defaultValue
        }
        return value
    }
}
