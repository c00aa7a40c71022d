// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Cancelled requests: nodes that still work on a request are told that its requester no longer
/// waits.
extension Broker {
    mutating func cancel(_ header: Header, by peer: PeerID) {
        let session = peers[peer].session
        let underWay = propagations.events(of: session)
        let request = underWay.first { event in
            propagations[event].lane == .request && propagations[event].message.origin.peer == peer
                && propagations[event].message.origin.ticket == header.sequence
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
        // Cancelling one may have a node go, and with it what ends another.
        for event in propagations.events(of: peers[peer].session)
        where propagations.contains(event) && propagations[event].lane == .request
            && propagations[event].message.origin.peer == peer
        {
            cancel(event)
        }
    }

    private mutating func cancel(_ event: EventIndex) {
        unpark(event)
        if let delivery = propagations[event].delivery {
            let holder = deliveries[delivery].peer
            if deliveries[delivery].state != .waiting, peers.isGreeted(holder) {
                turn.effects.append(
                    .send(
                        Header(
                            .cancel, node: deliveries[delivery].node.number,
                            id: deliveries.id(delivery)), to: holder))
            }
            expire(delivery)
            propagations[event].endDelivery()
        }
        settle(
            event, .failed,
            failure: Failure(.cancelled, message: "the requester no longer waits"))
    }
}
