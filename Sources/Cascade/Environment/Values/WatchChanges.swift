// SPDX-License-Identifier: Apache-2.0

/// Follows what the node reads of its environment; called like a function.
///
///     @Environment(\.changes) var changes
///     …
///     for await (old, new) in changes(of: \.paperSize) { … }
public struct WatchChanges: Sendable {
    let surroundings: NodeSurroundings?

    /// The changes of a value from now on, in order. There are none outside the code of a node.
    public func callAsFunction<Value: Equatable & Sendable>(
        of keyPath: any KeyPath<EnvironmentValues, Value> & Sendable
    ) -> ValueChanges<Value> {
        guard let surroundings else {
            return ValueChanges(changes: AsyncStream { $0.finish() }, keyPath: keyPath)
        }
        let changes = surroundings.environment.changes()
        surroundings.watch(EnvironmentValues.keys(of: keyPath))
        return ValueChanges(changes: changes, keyPath: keyPath)
    }
}
