// SPDX-License-Identifier: Apache-2.0

/// The node and the worker of the running code.
final class NodeSurroundings: Sendable {
    let place: NodePlace
    let runtime: WorkerRuntime
    let environment: NodeEnvironment

    init(_ mailbox: Mailbox, _ runtime: WorkerRuntime) {
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
        Task {
            // A key that cannot be watched, for example because of an invalid name, reads as its
            // default.
            let assignments = try Assignments(
                watchedKeys: added.filter { !$0.isPreference }.map { try $0.eventName },
                watchedPreferences: added.filter(\.isPreference).map { try $0.eventName })
            try await link.set(assignments, at: place.path)
        }
    }
}
