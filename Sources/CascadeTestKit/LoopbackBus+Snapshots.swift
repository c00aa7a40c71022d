// SPDX-License-Identifier: Apache-2.0

import Cascade
package import CascadeWire

extension LoopbackBus {
    /// Returns the node or vacant place at a path, with its declarations; `nil` if there is none.
    package func snapshot(of path: NodePath) async throws -> NodeSnapshot? {
        let query = Query.Subject.tree(path: path, depth: 0)
        return try await TreeAnswer(parsing: runningLink().query(query)).nodes.first
    }
}
