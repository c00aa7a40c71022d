// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import ZeroMQ

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
        // The lowest bit of a peer's index tells the transport (``PeerTransports``).
        let peer = PeerID(index: index << 1 | 1, generation: routes[Int(index)].generation)
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
        routes[Int(peer.index >> 1)].isLive = false
        freeIndices.append(peer.index >> 1)
    }

    /// The routing ID of a peer; `nil` if it was removed.
    func id(of peer: PeerID) -> RoutingID? {
        let route = routes[Int(peer.index >> 1)]
        return route.isLive && route.generation == peer.generation ? route.id : nil
    }

    /// The kernel's identity of a peer's connection; `nil` if the peer was removed or it is
    /// unknown.
    func connection(of peer: PeerID) -> ConnectionID? {
        id(of: peer) == nil ? nil : routes[Int(peer.index >> 1)].connection
    }
}

/// A routing ID that a ROUTER assigned: a zero byte and a number of four bytes.
struct RoutingID: Hashable {
    static let byteCount = 5

    private var number: UInt32 = 0

    init() {}

    /// `nil` if the bytes do not have the form of an assigned ID.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount, bytes[0] == 0 else {
            return nil
        }
        number = bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
    }

    /// The number of IDs that a ROUTER has assigned after `first` up to this one. It counts them in
    /// network byte order.
    func offset(from first: RoutingID) -> UInt32 {
        UInt32(bigEndian: number) &- UInt32(bigEndian: first.number)
    }

    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var bytes: UInt64 = UInt64(number) << 8
        #if _endian(big)
        #error("the bytes of a routing ID are laid out for little-endian machines")
        #endif
        return try withUnsafeBytes(of: &bytes) { buffer throws(Failure) -> Result in
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<Self.byteCount]))
        }
    }
}

/// Distinguishes the routing IDs that the ROUTER assigned from those that peers chose.
///
/// libzmq assigns consecutive IDs, starting from a random number for each socket. A connection of
/// the daemon's own learns the first; of the 2³² that follow, as many have been assigned as the
/// authenticator has admitted connections.
struct RoutingIDAllocation {
    private static let endpoint = "inproc://cascade.routing"

    private let first: RoutingID
    private let activity: ConnectionActivity

    /// - Parameter router: a ROUTER that has had no connection yet.
    init(
        of router: borrowing Socket, in context: Context, _ activity: ConnectionActivity
    ) throws(ZeroMQError) {
        try router.bind(Self.endpoint)
        let peer = try Socket(.dealer, in: context)
        try peer.set(.linger, 0)
        try peer.connect(Self.endpoint)
        var body = Message(byteCount: 1)
        var identity = Message()
        guard try peer.send(&body) == .sent, try router.receive(into: &identity),
            try router.receive(into: &body), let first = RoutingID(identity.bytes)
        else {
            preconditionFailure("a ROUTER assigns its first connection an ID of five bytes")
        }
        self.first = first
        self.activity = activity
    }

    /// The routing ID of these bytes; `nil` if a peer chose it.
    func id(_ bytes: UnsafeRawBufferPointer) -> RoutingID? {
        guard let id = RoutingID(bytes), id.offset(from: first) <= activity.admissionCount else {
            return nil
        }
        return id
    }
}
