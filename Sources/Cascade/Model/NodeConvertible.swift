// SPDX-License-Identifier: Apache-2.0

/// A type that describes a node: its state in properties, its behaviour in ``node``.
///
/// The values of its ``Environment`` properties are available before the node's first event.
public protocol NodeConvertible {
    var node: Node { get }
}

extension NodeConvertible {
    /// The node, which watches the keys of the type's ``Environment`` properties.
    var watchingNode: Node {
        var node = node.watching(WatchedProperties.keys(of: self))
        node.isConverted = true
        return node
    }
}
