// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Requests whose requester no longer waits.
extension Broker {
    mutating func cancel(_ header: Header, by peer: PeerID) {
    }
}
