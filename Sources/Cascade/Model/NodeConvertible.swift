// SPDX-License-Identifier: Apache-2.0

/// A type of your own that is a node: its state in properties, its behaviour in ``node``.
///
/// What its ``Environment`` properties read is there before the node's first event.
public protocol NodeConvertible {
    var node: Node { get }
}

extension NodeConvertible {
    /// The node, which has what the properties of its type read ready.
    var watchingNode: Node {
        var node = node.watching(WatchedProperties.keys(of: self))
        node.isConverted = true
        return node
    }
}
