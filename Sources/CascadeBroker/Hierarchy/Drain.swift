// SPDX-License-Identifier: Apache-2.0

/// A request to drain nodes, done once none of them is in the hands that it found them in.
struct Drain: Sendable {
    var peer: PeerID
    var request: UInt64
    /// Those that have not gone yet.
    var nodes: Set<NodeIndex>
}
