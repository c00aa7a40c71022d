// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The current environment and preferences of a node, updated by changes from the bus and read by
/// the node's code on any thread.
package final class NodeEnvironment: Sendable {
    /// The snapshots before and after a transaction.
    typealias Change = (old: EnvironmentSnapshot, new: EnvironmentSnapshot)

    private struct State {
        var keys: [ErasedKey]
        var observers: [UInt64: AsyncStream<Change>.Continuation] = [:]
        var lastObserver: UInt64 = 0
        /// The tasks that wait for the first values; `nil` once the values have arrived.
        var waiters: [Waiter<Void>]?
        var isClosed = false
    }

    private let latest = LatestReference(EnvironmentSnapshot())
    private let state: Mutex<State>

    init(watching keys: [ErasedKey] = []) {
        // The bus sends no values to a node that watches no keys.
        state = Mutex(State(keys: keys, waiters: keys.isEmpty ? nil : []))
        _ = update([])
    }

    var snapshot: EnvironmentSnapshot {
        latest.object
    }

    /// Returns the box of a watched key; `nil` for a key that is not watched.
    func box(of id: ObjectIdentifier) -> (any AnyObject & Sendable)? {
        latest.read { $0.box(of: id) }
    }

    // MARK: - The bus's side

    /// Applies a set of changes in one step. Returns a sentence for each value that cannot be
    /// decoded; its key reads as the default.
    func apply(_ changes: EnvironmentChanges) -> [String] {
        let problems = update(changes.changes, replacesAll: changes.isSnapshot)
        resumeWaiters()
        return problems
    }

    /// Ends all observations: the node is no longer in the tree.
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

    /// Waits until the values of the watched keys have arrived, or the node has left the tree.
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

    /// The number of tasks that wait for the values, for tests.
    var waiterCount: Int {
        state.withLock { $0.waiters?.count ?? 0 }
    }

    /// Adds keys to those that are decoded in advance. Returns the keys that the bus does not watch
    /// for this node yet.
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

    /// Returns the changes from now on, in order.
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
        // The removed continuation is released after the lock.
        _ = state.withLock { $0.observers.removeValue(forKey: observer) }
    }
}

extension ErasedKey {
    fileprivate func hasSameName(_ other: ErasedKey) -> Bool {
        name == other.name && isPreference == other.isPreference
    }
}

/// The node and the worker of the running code.
final class RunningNode: Sendable {
    let place: NodePlace
    let runtime: WorkerRuntime
    let environment: NodeEnvironment

    init(_ mailbox: NodeMailbox, _ runtime: WorkerRuntime) {
        place = mailbox.place
        environment = mailbox.environment
        self.runtime = runtime
    }

    /// Watches keys from now on, beyond those in the node's declaration. Their values arrive later,
    /// as changes.
    func watch(_ keys: [ErasedKey]) {
        let added = environment.watch(keys)
        guard !added.isEmpty else {
            return
        }
        let (place, link) = (place, runtime.link)
        Task(executorPreference: runtime.taskExecutor) {
            // A key that cannot be watched, for example because of an invalid name, reads as its
            // default.
            let assignments = try Assignments(
                watchedKeys: added.filter { !$0.isPreference }.map { try $0.eventName },
                watchedPreferences: added.filter(\.isPreference).map { try $0.eventName })
            try await link.set(assignments, at: place.path)
        }
    }
}
