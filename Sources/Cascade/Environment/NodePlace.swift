// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where a node stands at the moment: its code may run while it is moved.
package final class NodePlace: Sendable {
    private let current: Mutex<NodePath>

    init(_ path: NodePath) {
        current = Mutex(path)
    }

    var path: NodePath {
        current.withLock { $0 }
    }

    func move(to path: NodePath) {
        current.withLock { $0 = path }
    }
}
