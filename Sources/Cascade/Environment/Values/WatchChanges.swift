// SPDX-License-Identifier: Apache-2.0

/// Follows the values that the node reads; called like a function.
///
///     @Environment(\.changes) var changes
///     …
///     for await (old, new) in changes(of: \.paperSize) { … }
public struct WatchChanges: Sendable {
    let surroundings: NodeSurroundings?

    /// Returns the changes of a value from now on, in order. Outside the code of a node the
    /// sequence is empty.
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
