// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import Synchronization

/// The names that observers could not decode, by node. An observer that cannot decode one event
/// usually cannot decode any, so one warning is enough.
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
