// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The place that whoever starts a worker gives to it: `CASCADE_NODE`, a path with or without the
/// slash before it. It counts more than what the program says.
enum AssignedPlace {
    static var fromEnvironment: String? {
        getenv("CASCADE_NODE").map { String(cString: $0) }
    }

    /// A worker's only node stands there itself; several nodes stand below. Throws ``CascadeError``
    /// if it is no place for a node.
    static func place(
        _ nodes: [Node], below mount: NodePath, at text: String?
    ) throws -> (nodes: [Node], mount: NodePath) {
        guard let text, !text.isEmpty else {
            return (nodes, mount)
        }
        do {
            let path = try NodePath(text.hasPrefix("/") ? text : "/" + text)
            guard nodes.count == 1, var node = nodes.first, let parent = path.parent else {
                return (nodes, path)
            }
            node.name = path.name
            return ([node], parent)
        } catch {
            throw CascadeError(.configuration, "CASCADE_NODE: \(error.description)")
        }
    }
}
