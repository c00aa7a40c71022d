// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension Broker {
    /// The peers that hold the paths for which an attach asks, and their processes; nobody if the
    /// message is no attach.
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
