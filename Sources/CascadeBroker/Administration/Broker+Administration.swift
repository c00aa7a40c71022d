// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Changes from outside: what an administrator does to the tree, or to what the bus keeps.
extension Broker {
    mutating func administer(_ administer: Administer, by peer: PeerID) throws(WireError) {
        switch administer.change {
        case .move, .drain, .detach, .clearRetained, .clearUndelivered:
            throw WireError(.unknownQuery, "this daemon cannot do that yet")
        }
    }
}
