// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension Broker {
    /// Returns the peers that hold the paths for which an attach asks, and their processes; an
    /// empty array if the message is not an attach.
    package func holders(claimedBy message: [UInt8]) -> [(peer: PeerID, processID: UInt32)] {
        guard let attach = try? Attach(parsing: message) else {
            return []
        }
        return attach.nodes.compactMap { declaration in
            guard let node = hierarchy.find(declaration.path), let holder = hierarchy[node].holder
            else {
                return nil
            }
            return (holder, peers[holder].credentials.processID)
        }
    }
}
