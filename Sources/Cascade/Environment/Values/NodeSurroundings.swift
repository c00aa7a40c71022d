// SPDX-License-Identifier: Apache-2.0

/// Where the running code stands: its node, and the worker that holds it.
final class NodeSurroundings: Sendable {
    let place: NodePlace
    let runtime: WorkerRuntime
    let environment: NodeEnvironment

    init(_ mailbox: Mailbox, _ runtime: WorkerRuntime) {
        place = mailbox.place
        environment = mailbox.environment
        self.runtime = runtime
    }

    /// Has keys watched from now on, of which the node hasn't said so when it attached. Their
    /// values come a little later, as changes.
    func watch(_ keys: [ErasedKey]) {
        let added = environment.watch(keys)
        guard !added.isEmpty else {
            return
        }
        let (place, link) = (place, runtime.link)
        Task {
            // A key that can't be watched, say because its name is none, has no value.
            let assignments = try Assignments(
                watchedKeys: added.filter { !$0.isPreference }.map { try $0.eventName },
                watchedPreferences: added.filter(\.isPreference).map { try $0.eventName })
            try await link.set(assignments, at: place.path)
        }
    }
}
