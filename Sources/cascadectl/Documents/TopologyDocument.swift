// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// A change of a node and its subtree.
struct TopologyDocument: Document {
    enum Change {
        case moved(to: NodePath)
        case drained
        case detached
    }

    let change: Change
    let path: NodePath
    /// The nodes that were changed, by their previous paths.
    let nodes: [NodePath]

    var json: JSONValue {
        .document(
            "topology",
            [
                "change": .string(word), "path": .text(path), "to": newPath.map { .text($0) },
                "nodes": .array(nodes.map { .text($0) }),
            ])
    }

    private var word: String {
        switch change {
        case .moved: "moved"
        case .drained: "drained"
        case .detached: "detached"
        }
    }

    private var newPath: NodePath? {
        if case .moved(let path) = change { path } else { nil }
    }

    func text(_ style: Style) -> String {
        let others = nodes.count > 1 ? ", and \(nodes.count - 1) below it" : ""
        return if let newPath {
            "\(path) is now \(newPath)\(others)"
        } else {
            "\(path) is \(word)\(others)"
        }
    }
}
