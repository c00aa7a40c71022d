// SPDX-License-Identifier: Apache-2.0

/// What the subtree of the running node prefers.
public struct PreferenceValues: Sendable {
    let surroundings: NodeSurroundings?

    /// The values that the nodes below offer, reduced to one; the key's default where none does.
    ///
    /// A key that the node doesn't watch yet, see ``Node/watch(preference:)``, is watched from the
    /// first look on; until its value has come, that is the default.
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
