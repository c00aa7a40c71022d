// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The place that `CASCADE_NODE` assigns to a worker: a path, with or without the leading slash. It
/// overrides the program's own.
enum AssignedPlace {
    static var fromEnvironment: String? {
        getenv("CASCADE_NODE").map { String(cString: $0) }
    }

    /// Returns the nodes and their mount. A single node is attached at the assigned path itself;
    /// several nodes below it. Throws ``CascadeError`` if the text is not a path.
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
