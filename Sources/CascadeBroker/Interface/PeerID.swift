// SPDX-License-Identifier: Apache-2.0

/// One connection, as the shell numbers it. An index can be used again, with another generation.
package struct PeerID: Hashable, Sendable {
    package var index: UInt32
    package var generation: UInt32

    package init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }
}
