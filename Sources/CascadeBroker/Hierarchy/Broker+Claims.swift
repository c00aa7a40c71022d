// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension Broker {
    /// Returns the peers that hold the paths for which an attach asks, and their processes; an
    /// empty array if the message is not an attach, or one that will be refused.
    package func holders(claimedBy message: [UInt8]) -> [(peer: PeerID, processID: UInt32)] {
        guard message.count <= messageByteCountMax, let header = try? Header(parsing: message),
            header.command == .attach,
            let paths = try? configuration.limits.paths(ofNodesIn: header.fields(of: message))
        else {
            return []
        }
        return paths.compactMap { path in
            guard let node = hierarchy.find(path), let holder = hierarchy[node].holder else {
                return nil
            }
            return (holder, peers[holder].credentials.processID)
        }
    }
}

extension Limits {
    /// The paths of the nodes that an attach declares. Throws if there are more than one session
    /// may have, or one is none.
    fileprivate func paths(ofNodesIn fields: FieldReader) throws(WireError) -> [NodePath] {
        var fields = fields
        var paths: [NodePath] = []
        while let field = try fields.next() {
            guard field.tag == .node else {
                continue
            }
            try Self.check(
                paths.count + 1, "nodes in one session", nodesPerSession, named: "nodesPerSession")
            var node = field.nested
            while let part = try node.next() {
                if part.tag == .path {
                    try checkPath(byteCount: part.byteCount)
                    paths.append(try NodePath(decoding: part.text()))
                }
            }
        }
        return paths
    }
}
