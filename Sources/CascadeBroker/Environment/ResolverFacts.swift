// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What the built-in keys say.
struct ResolverFacts {
    let bus: String
    let host: String
    let hierarchy: Hierarchy
    let peers: PeerTable

    func value(of key: BuiltInKey, for node: NodeIndex) -> KeyValue? {
        switch key {
        case .nodePath: KeyValue(.string(hierarchy.path(of: node).description))
        case .nodeName:
            KeyValue(.string(node == Hierarchy.root ? "/" : hierarchy[node].links.component))
        case .nodeDepth: KeyValue(.integer(hierarchy[node].links.depth))
        case .nodeUser:
            hierarchy[node].holder.map { KeyValue(.integer(peers[$0].credentials.userID)) }
        case .nodeUnit: text(hierarchy[node].holder.map { peers[$0].credentials.unit } ?? "")
        case .busName: text(bus)
        case .hostName: text(host)
        }
    }

    /// What is not known has no value.
    private func text(_ text: String) -> KeyValue? {
        text.isEmpty ? nil : KeyValue(.string(text))
    }
}
