// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The messages that leave the broker, as effects of the input that is being handled.
extension Broker {
    var now: Instant {
        turn.now
    }

    func millisecondsLeft(until deadline: Instant) -> UInt32 {
        deadline.milliseconds(from: now)
    }

    mutating func send(_ message: some WireMessage, to peer: PeerID) {
        turn.effects.append(.sendMessage(message.encoded(), to: peer))
    }

    mutating func done(_ request: UInt64, _ peer: PeerID) {
        turn.effects.append(.send(Header(.done, id: request), to: peer))
    }

    mutating func forward(
        _ payload: Payload, _ header: Header, to peer: PeerID, itinerary: Itinerary? = nil,
        isLast: Bool = false
    ) {
        turn.effects.append(
            .forward(
                Forward(
                    payload: payload, header: header, peer: peer, itinerary: itinerary,
                    isLast: isLast)))
    }
}
