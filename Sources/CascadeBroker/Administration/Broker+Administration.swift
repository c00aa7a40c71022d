// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Changes from outside: what an administrator does to the tree, or to what the bus keeps.
extension Broker {
    mutating func administer(_ administer: Administer, by peer: PeerID) throws(WireError) {
        switch administer.change {
        case .move(let path, let destination):
            try move(path, under: destination)
            done(administer.request, peer)
        case .drain(let path, let withSubtree):
            try drain(path, withSubtree: withSubtree, administer.request, by: peer)
        case .detach(let path, let withSubtree):
            try detach(path, withSubtree: withSubtree)
            done(administer.request, peer)
        case .clearRetained, .clearUndelivered:
            throw WireError(.unknownQuery, "this daemon cannot do that yet")
        }
    }
}
