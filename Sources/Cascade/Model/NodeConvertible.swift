// SPDX-License-Identifier: Apache-2.0

/// A type of your own that is a node: its state in properties, its behaviour in ``node``.
public protocol NodeConvertible {
    var node: Node { get }
}
