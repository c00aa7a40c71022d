// SPDX-License-Identifier: Apache-2.0

import ZeroMQ

/// Tells the routing IDs that the ROUTER gave from those that peers chose for themselves.
///
/// libzmq counts the IDs that it gives on, from a number that it draws when the socket is made. A
/// connection of the daemon's own learns that number; of the 2³² that follow, as many have been given
/// as the doorkeeper has let connections in.
struct GivenRoutingIDs {
    private static let endpoint = "inproc://cascade.routing"

    private let first: RoutingID
    private let heard: HeardConnections

    /// - Parameter router: a ROUTER that has had no connection yet.
    init(
        of router: borrowing Socket, in context: Context, _ heard: HeardConnections
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
            preconditionFailure("a ROUTER names its first connection itself, and by five bytes")
        }
        self.first = first
        self.heard = heard
    }

    /// The routing ID of these bytes; `nil` if a peer chose it.
    func id(_ bytes: UnsafeRawBufferPointer) -> RoutingID? {
        guard let id = RoutingID(bytes), id.offset(from: first) <= heard.admissionCount else {
            return nil
        }
        return id
    }
}
