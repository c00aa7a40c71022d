// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// Maps connections to peers. libzmq identifies connections by routing IDs that it assigns; these
/// are never stored or shown.
struct RoutingTable {
    private var peers: [RoutingID: PeerID] = [:]
    private var routes: [Route] = []
    private var freeIndices: [UInt32] = []
    /// The last look-up: messages come in bursts from one peer.
    private var last: (id: RoutingID, peer: PeerID)?

    /// The number of peers.
    var count: Int {
        peers.count
    }

    private struct Route {
        var id = RoutingID()
        var generation: UInt32 = 0
        var isLive = false
        var connection: ConnectionID?
    }

    /// The peer of a connection; `nil` if the connection is new.
    mutating func peer(of id: RoutingID) -> PeerID? {
        if let last, last.id == id {
            return last.peer
        }
        guard let peer = peers[id] else {
            return nil
        }
        last = (id, peer)
        return peer
    }

    mutating func insert(_ id: RoutingID, connection: ConnectionID?) -> PeerID {
        let index: UInt32
        if let free = freeIndices.popLast() {
            index = free
        } else {
            index = UInt32(routes.count)
            routes.append(Route())
        }
        routes[Int(index)].id = id
        routes[Int(index)].generation += 1
        routes[Int(index)].isLive = true
        routes[Int(index)].connection = connection
        let peer = PeerID(index: index, generation: routes[Int(index)].generation)
        peers[id] = peer
        return peer
    }

    /// Removes a peer; a later message of its connection makes a new peer.
    mutating func remove(_ peer: PeerID) {
        guard let id = id(of: peer) else {
            return
        }
        peers[id] = nil
        last = nil
        routes[Int(peer.index)].isLive = false
        freeIndices.append(peer.index)
    }

    /// The routing ID of a peer; `nil` if it was removed.
    func id(of peer: PeerID) -> RoutingID? {
        let route = routes[Int(peer.index)]
        return route.isLive && route.generation == peer.generation ? route.id : nil
    }

    /// The kernel's identity of a peer's connection; `nil` if the peer was removed or it is
    /// unknown.
    func connection(of peer: PeerID) -> ConnectionID? {
        id(of: peer) == nil ? nil : routes[Int(peer.index)].connection
    }
}
