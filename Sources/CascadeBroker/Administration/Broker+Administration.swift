// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Changes from outside: what an administrator does to the tree, or to what the bus keeps.
extension Broker {
    mutating func administer(_ administer: Administer, by peer: PeerID) throws(WireError) {
        switch administer.change {
        case .clearRetained(let name, let path):
            try clearRetained(name, of: path)
            note(Happening(.admin, "clearedRetained", path: path, name: name))
            done(administer.request, peer)
        case .move, .drain, .detach, .clearUndelivered:
            throw WireError(.unknownQuery, "this daemon cannot do that yet")
        }
    }
}
