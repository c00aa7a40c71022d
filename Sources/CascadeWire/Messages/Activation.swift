// SPDX-License-Identifier: Apache-2.0

/// A node's place in the order of activations, and whether the node is active: what the daemon says
/// to the node's session, and the session brings along to the next connection.
package struct Activation: Hashable, Sendable {
    /// The later the node was attached, activated or subscribed, the higher.
    package var rank: UInt64
    package var isActive: Bool

    package init(rank: UInt64, isActive: Bool) {
        self.rank = rank
        self.isActive = isActive
    }

    init(_ parts: inout PartReader) throws(WireError) {
        rank = try parts.integer()
        isActive = try parts.integer(UInt8.self) != 0
    }

    func write(to parts: inout PartWriter) {
        parts.append(rank)
        parts.append(UInt8(isActive ? 1 : 0))
    }
}
