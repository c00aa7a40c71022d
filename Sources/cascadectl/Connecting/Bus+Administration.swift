// SPDX-License-Identifier: Apache-2.0

import Cascade

extension Bus {
    /// Changes the tree or the state that the bus keeps. Throws `CascadeError` if the bus refuses.
    func administer(_ change: Administer.Change) async throws {
        _ = try await link.send { Administer(request: $0, change) }
    }

    /// Returns the nodes at and below `path` that a session holds. Throws `CascadeError` if there
    /// is no node at `path`.
    func paths(from path: NodePath, depth: UInt32) async throws -> [NodePath] {
        try TreeAnswer(parsing: await link.query(.tree(path: path, depth: depth))).nodes
            .filter { $0.state != .vacant }.map(\.path)
    }
}
