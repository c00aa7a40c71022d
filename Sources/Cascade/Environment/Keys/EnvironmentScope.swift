// SPDX-License-Identifier: Apache-2.0

/// Who reads a value that a node sets.
public enum EnvironmentScope: Sendable {
    /// The nodes below it.
    case subtree
    /// The node itself as well.
    case itself
}
