// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Cancelled requests: nodes that still work on a request are notified that its requester no longer
/// waits, or that its deadline has passed.
extension Broker {
    mutating func cancel(_ header: Header, by peer: PeerID) {
        let session = peers[peer].session
        let underWay = traffic.events.events(of: session)
        let request = underWay.first { event in
            traffic.events[event].lane == .request
                && traffic.events[event].message.origin.peer == peer
                && traffic.events[event].message.origin.ticket == header.sequence
        }
        if let request {
            cancel(request)
        }
    }

    /// The requester has gone.
    mutating func cancelRequests(of peer: PeerID) {
        guard peers[peer].creditUsed > 0 else {
            return
        }
        // Cancelling one request may detach a node, which may end another request.
        for event in traffic.events.events(of: peers[peer].session)
        where traffic.events.contains(event) && traffic.events[event].lane == .request
            && traffic.events[event].message.origin.peer == peer
        {
            cancel(event)
        }
    }

    private mutating func cancel(_ event: EventIndex) {
        unpark(event)
        if let delivery = traffic.events[event].delivery {
            sendCancel(of: delivery)
            expire(delivery)
            traffic.events[event].endDelivery()
        }
        settle(
            event, .failed,
            failure: Failure(.cancelled, message: "the requester no longer waits"))
    }

    /// Notifies the session that has a visit of a request that its answer no longer counts.
    mutating func sendCancel(of delivery: DeliveryIndex) {
        let holder = traffic.deliveries[delivery].peer
        guard traffic.deliveries[delivery].state != .waiting, peers.isGreeted(holder) else {
            return
        }
        turn.effects.append(
            .send(
                Header(
                    .cancel, node: traffic.deliveries[delivery].node.number,
                    id: DeliveryID(delivery).wire), to: holder))
    }
}
