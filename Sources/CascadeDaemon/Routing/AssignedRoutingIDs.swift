// SPDX-License-Identifier: Apache-2.0

import ZeroMQ

/// Distinguishes the routing IDs that the ROUTER assigned from those that peers chose.
///
/// libzmq assigns consecutive IDs, starting from a random number for each socket. A connection of
/// the daemon's own learns the first; of the 2³² that follow, as many have been assigned as the
/// authenticator has admitted connections.
struct AssignedRoutingIDs {
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
