// SPDX-License-Identifier: Apache-2.0

/// The changes of a value that a node reads, each with the old and the new value, from the creation
/// of the sequence until the node leaves the tree.
///
/// After a restart of the daemon, a value of another worker's node is absent until that worker has
/// reconnected: the sequence may have a change to the default and one back.
public struct ValueChanges<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    let changes: AsyncStream<NodeEnvironment.Change>
    let keyPath: any KeyPath<EnvironmentValues, Value> & Sendable

    public struct AsyncIterator: AsyncIteratorProtocol {
        var changes: AsyncStream<NodeEnvironment.Change>.Iterator
        let keyPath: any KeyPath<EnvironmentValues, Value> & Sendable

        public mutating func next() async -> (old: Value, new: Value)? {
            await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> (old: Value, new: Value)? {
            while let change = await changes.next(isolation: actor) {
                let old = EnvironmentValues(of: change.old)[keyPath: keyPath]
                let new = EnvironmentValues(of: change.new)[keyPath: keyPath]
                if old != new {
                    return (old, new)
                }
            }
            return nil
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(changes: changes.makeAsyncIterator(), keyPath: keyPath)
    }
}

/// Follows the values that the node reads; called like a function.
///
///     @Environment(\.changes) var changes
///     …
///     for await (old, new) in changes(of: \.paperSize) { … }
public struct WatchChanges: Sendable {
    let runningNode: RunningNode?

    /// Returns the changes of a value from now on, in order. Outside the code of a node the
    /// sequence is empty.
    public func callAsFunction<Value: Equatable & Sendable>(
        of keyPath: any KeyPath<EnvironmentValues, Value> & Sendable
    ) -> ValueChanges<Value> {
        guard let runningNode else {
            return ValueChanges(changes: AsyncStream { $0.finish() }, keyPath: keyPath)
        }
        let changes = runningNode.environment.changes()
        runningNode.watch(EnvironmentValues.keys(of: keyPath))
        return ValueChanges(changes: changes, keyPath: keyPath)
    }
}
