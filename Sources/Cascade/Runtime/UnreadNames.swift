// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import Synchronization

/// The names that observers could not read, by node: one that cannot read one event can mostly read
/// none, and a warning for each would drown the log.
final class UnreadNames: Sendable {
    private struct Entry: Hashable {
        let name: EventName
        let node: NodePath
    }

    private let entries = Mutex<Set<Entry>>([])

    /// Returns whether the name is new at the node.
    func insert(_ name: EventName, at node: NodePath) -> Bool {
        entries.withLock { $0.insert(Entry(name: name, node: node)).inserted }
    }
}
