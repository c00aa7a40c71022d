// SPDX-License-Identifier: Apache-2.0

/// What a node offers upward, and what it does when its subtree prefers something else.
extension Node {
    /// Offers a value to the nodes above. To them it stands for all of the node's subtree.
    public func preference<K: PreferenceKey>(_ key: K.Type, _ value: K.Value) -> Node {
        with { $0.values.offer(key, value) }
    }

    /// Has the preferences of the subtree ready from before the first event on.
    public func watch<K: PreferenceKey>(preference key: K.Type) -> Node {
        with { $0.values.watch([ErasedKey(key)]) }
    }

    /// Runs `perform` with what the nodes below offer, reduced to one value: at first unless
    /// that is the default, and then whenever it is another one. If it throws, the worker ends
    /// with that error.
    public func onPreferenceChange<K: PreferenceKey>(
        _ key: K.Type, _ perform: @escaping @Sendable (K.Value) async throws -> Void
    ) -> Node {
        watch(preference: key).task {
            guard let environment = EnvironmentValues.current.surroundings?.environment else {
                return
            }
            let changes = environment.changes()
            var last = environment.snapshot.value(of: key) ?? K.defaultValue
            if last != K.defaultValue {
                try await perform(last)
            }
            for await change in changes {
                let value = change.new.value(of: key) ?? K.defaultValue
                if value != last {
                    last = value
                    try await perform(value)
                }
            }
        }
    }
}
