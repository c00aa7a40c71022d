// SPDX-License-Identifier: Apache-2.0

/// The treatment of the nodes below a node that has left and does not return within its grace time.
public enum OrphanPolicy: Sendable {
    /// The nodes stay; events pass through the vacant place.
    case adopt
    /// The nodes are detached, with the reason.
    case detach
}
