// SPDX-License-Identifier: Apache-2.0

/// Preferences that a node offers, and reactions to preferences of its subtree.
extension Node {
    /// Offers a value to the nodes above. For them, it replaces the preferences of the node's
    /// subtree.
    public func preference<K: PreferenceKey>(_ key: K.Type, _ value: K.Value) -> Node {
        with { $0.values.offer(key, value) }
    }

    /// Watches a preference of the subtree, whose value is available before the node's first event.
    public func watch<K: PreferenceKey>(preference key: K.Type) -> Node {
        with { $0.values.watch([ErasedKey(key)]) }
    }

    /// Runs `perform` with the preferences of the nodes below, reduced to one value: once at the
    /// start unless that is the default, and after each change. If `perform` throws, the worker
    /// ends with that error.
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
