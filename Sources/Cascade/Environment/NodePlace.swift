// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The current path of a node, which may be moved while its code runs.
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
