// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// The state of each peer, derived only from the messages between the peer and the daemon.
struct Wiretap {
    struct Node {
        var path: NodePath
        var holder: PeerID
        var prefetch: Int
        var subscriptions: [EventName]
    }

    struct Peer {
        var process: Int
        var session: SessionID?
        var names: [UInt32: EventName] = [:]
        var sessions: [UInt32: SessionID] = [:]
        /// The declarations of unanswered attachments, by request.
        var declarations: [UInt64: [NodeDeclaration]] = [:]
        var nodes: [UInt32] = []
    }

    private(set) var peers: [PeerID: Peer] = [:]
    private(set) var nodes: [UInt32: Node] = [:]

    mutating func add(_ peer: PeerID, process: Int) {
        peers[peer] = Peer(process: process)
    }

    /// Removes a peer. Returns the nodes that it held.
    mutating func remove(_ peer: PeerID) -> [UInt32] {
        let held = nodes(of: peer)
        peers[peer] = nil
        for node in held {
            nodes[node] = nil
        }
        return held
    }

    /// Returns the nodes that the peer holds.
    func nodes(of peer: PeerID) -> [UInt32] {
        (peers[peer]?.nodes ?? []).filter { nodes[$0]?.holder == peer }
    }

    /// Observes a message from a peer.
    mutating func observe(
        _ header: Header, _ message: [UInt8], from peer: PeerID
    ) throws(WireError) {
        switch header.command {
        case .hello: peers[peer]?.session = try Hello(parsing: message).session
        case .attach:
            let attach = try Attach(parsing: message)
            peers[peer]?.declarations[attach.request] = attach.nodes
        default: break
        }
    }

    /// Observes a message to a peer. Returns the number of the node that it detaches; `nil` for none.
    mutating func observe(
        _ header: Header, _ message: [UInt8], to peer: PeerID
    ) throws(WireError) -> UInt32? {
        switch header.command {
        case .define:
            for definition in try Define(parsing: message).definitions {
                switch definition {
                case .name(let number, let name): peers[peer]?.names[number] = name
                case .session(let number, let session):
                    peers[peer]?.sessions[number] = session.id
                case .node: break
                }
            }
        case .attached: add(try Attached(parsing: message), of: peer)
        case .moved: nodes[header.node]?.path = try Moved(parsing: message).path
        case .refused: peers[peer]?.declarations[header.id] = nil
        case .detached:
            peers[peer]?.nodes.removeAll { $0 == header.node }
            nodes[header.node] = nil
            return header.node
        default: break
        }
        return nil
    }

    private mutating func add(_ attached: Attached, of peer: PeerID) {
        let declared = peers[peer]?.declarations.removeValue(forKey: attached.request) ?? []
        for (node, declaration) in zip(attached.nodes, declared) {
            peers[peer]?.nodes.append(node.number)
            nodes[node.number] = Node(
                path: node.path, holder: peer, prefetch: Int(declaration.prefetch),
                subscriptions: declaration.subscriptions)
        }
    }

    /// Returns the node of a delivery without a node number: the only node of the peer that subscribes to
    /// the name.
    func subscriber(_ name: UInt32, of peer: PeerID) -> UInt32? {
        guard let found = peers[peer], let name = found.names[name] else {
            return nil
        }
        let subscribers = found.nodes.filter { nodes[$0]?.subscriptions.contains(name) == true }
        return subscribers.count == 1 ? subscribers[0] : nil
    }

    /// Returns the event of a visit or delivery to this peer.
    func event(_ header: Header, to peer: PeerID) -> EventID? {
        peers[peer]?.sessions[header.session].map {
            EventID(session: $0, sequence: header.sequence)
        }
    }
}
