// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// What is to be done for the broker, in this order.
package enum Effect: Sendable {
    /// Send a header that says it all.
    case send(Header, to: PeerID)
    /// Send a whole message.
    case sendMessage([UInt8], to: PeerID)
    /// Send the payload under this header in place of its own, behind an itinerary if there is one.
    /// With the last send the broker has no more use for the payload: its memory may go out.
    case forward(Payload, Header, to: PeerID, itinerary: Itinerary?, isLast: Bool)
    /// The peer's session is over; forget its connection once what was sent to it has gone out.
    case disconnect(PeerID)
    /// Write this into the journal, behind what was to be written before.
    /// ``Input/persisted(upTo:fault:)`` or ``Input/notPersisted(upTo:_:)`` says how that went.
    indirect case persist(JournalEntry)
    /// Tell the administrator.
    indirect case log(LogEntry)
}

extension Effect {
    /// The messages that it sends, in this order, and the peer that they are for; `nil` where it
    /// sends nothing. For drivers that keep messages in arrays.
    package var sent: (messages: [[UInt8]], peer: PeerID)? {
        switch self {
        case .send(let header, let peer):
            ([header.encoded()], peer)
        case .sendMessage(let message, let peer):
            ([message], peer)
        case .forward(let payload, let header, let peer, let itinerary, _):
            ((itinerary.map { [$0.encoded()] } ?? []) + [payload.message(under: header)], peer)
        case .disconnect, .persist, .log:
            nil
        }
    }
}

extension Payload {
    /// The message with another header.
    package final func message(under header: Header) -> [UInt8] {
        header.encoded() + Array(content)
    }
}
