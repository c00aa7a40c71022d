// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What a node reads of its environment and preferences, now: written as changes come from the bus,
/// read by whatever code of the node runs.
package final class NodeEnvironment: Sendable {
    /// What was read before and after a transaction.
    typealias Change = (old: EnvironmentSnapshot, new: EnvironmentSnapshot)

    private struct State {
        var keys: [ErasedKey]
        var observers: [UInt64: AsyncStream<Change>.Continuation] = [:]
        var lastObserver: UInt64 = 0
        /// Whoever waits for the first values; `nil` once they are there.
        var waiters: [Waiter<Void>]?
        var isClosed = false
    }

    private let latest = LatestReference(EnvironmentSnapshot())
    private let state: Mutex<State>

    init(watching keys: [ErasedKey] = []) {
        // A node that watches nothing is told nothing.
        state = Mutex(State(keys: keys, waiters: keys.isEmpty ? nil : []))
        _ = update([])
    }

    var snapshot: EnvironmentSnapshot {
        latest.object
    }

    /// The box of what is read under a key that is watched; `nil` for one that isn't.
    func box(of id: ObjectIdentifier) -> (any AnyObject & Sendable)? {
        latest.read { $0.box(of: id) }
    }

    // MARK: - The bus's side

    /// Takes over what has changed, in one step. Returns a sentence for each value that can't be
    /// read; its key reads as if there were none.
    func apply(_ changes: EnvironmentChanges) -> [String] {
        let problems = update(changes.changes, replacesAll: changes.isSnapshot)
        resumeWaiters()
        return problems
    }

    /// The node is no longer in the tree: nothing changes any more.
    func close() {
        let observers = state.withLock { state in
            defer { state.observers = [:] }
            state.isClosed = true
            return Array(state.observers.values)
        }
        for observer in observers {
            observer.finish()
        }
        resumeWaiters()
    }

    private func resumeWaiters() {
        let waiters = state.withLock { state in
            defer { state.waiters = nil }
            return state.waiters ?? []
        }
        for waiter in waiters {
            waiter.resume(with: .success(()))
        }
    }

    private func update(
        _ changes: [EnvironmentChange], replacesAll: Bool = false
    ) -> [String] {
        state.withLock { state in
            var problems: [String] = []
            let old = snapshot
            let new = EnvironmentSnapshot(
                old, changes, replacesAll: replacesAll, keys: state.keys, problems: &problems)
            latest.replace(with: new)
            for observer in state.observers.values {
                observer.yield((old, new))
            }
            return problems
        }
    }

    // MARK: - The node's side

    /// Waits until the node can read what it said that it watches, or is gone.
    func arrival() async throws {
        guard state.withLock({ $0.waiters != nil }) else {
            return
        }
        try await Waiter.value { waiter in
            let isThere = state.withLock { state in
                state.waiters?.append(waiter)
                return state.waiters == nil
            }
            if isThere {
                waiter.resume(with: .success(()))
            }
        }
    }

    /// Has these keys kept ready to be read. Returns those that the bus doesn't know to be watched.
    func watch(_ keys: [ErasedKey]) -> [ErasedKey] {
        let (countAdded, added) = state.withLock { state in
            let countBefore = state.keys.count
            var added: [ErasedKey] = []
            for key in keys where !state.keys.contains(where: { $0.id == key.id }) {
                if !state.keys.contains(where: key.hasSameName) {
                    added.append(key)
                }
                state.keys.append(key)
            }
            return (state.keys.count - countBefore, added)
        }
        if countAdded > 0 {
            _ = update([])
        }
        return added
    }

    /// What changes from now on, in order.
    func changes() -> AsyncStream<Change> {
        let (stream, continuation) = AsyncStream<Change>.makeStream()
        let observer = state.withLock { state -> UInt64? in
            guard !state.isClosed else {
                return nil
            }
            state.lastObserver += 1
            state.observers[state.lastObserver] = continuation
            return state.lastObserver
        }
        guard let observer else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.removeObserver(observer)
        }
        return stream
    }

    private func removeObserver(_ observer: UInt64) {
        // What is removed goes when the lock is free again.
        _ = state.withLock { $0.observers.removeValue(forKey: observer) }
    }
}

extension ErasedKey {
    fileprivate func hasSameName(_ other: ErasedKey) -> Bool {
        name == other.name && isPreference == other.isPreference
    }
}
