// SPDX-License-Identifier: Apache-2.0

/// The readers of a value that a node sets.
public enum EnvironmentScope: Sendable {
    /// The nodes below the node.
    case subtree
    /// The node itself, and the nodes below it.
    case itself
}
