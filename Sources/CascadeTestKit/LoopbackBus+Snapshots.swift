// SPDX-License-Identifier: Apache-2.0

import Cascade
package import CascadeWire

extension LoopbackBus {
    /// What stands at a path, with all that it declares; `nil` if nothing does.
    package func snapshot(of path: NodePath) async throws -> NodeSnapshot? {
        let query = Query.Subject.tree(path: path, depth: 0)
        return try await TreeAnswer(parsing: runningLink().query(query)).nodes.first
    }
}
