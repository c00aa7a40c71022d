// SPDX-License-Identifier: Apache-2.0

/// What becomes of the nodes below a node that is gone and does not come back within its grace
/// time.
public enum OrphanPolicy: Sendable {
    /// They stay; events pass through the vacant place.
    case adopt
    /// They are told to stop, and why.
    case detach
}
