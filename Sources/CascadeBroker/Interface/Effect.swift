// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// An action for the shell to perform. Effects must be performed in order.
package enum Effect: Sendable {
    /// Send a message that consists of a header alone.
    case send(Header, to: PeerID)
    /// Send a whole message.
    case sendMessage([UInt8], to: PeerID)
    /// Send a payload that has come in, or that the broker has made.
    case forward(Forward)
    /// Send a payload to several peers.
    case broadcast(Broadcast)
    /// Close the connection of a peer whose session has ended, once everything sent to it has been
    /// written.
    case disconnect(PeerID)
    /// Keep the message that this peer has just sent, which the broker has not accepted, and all
    /// that follow it. ``resume(_:)`` requests them in their order, this one first.
    case postpone(PeerID)
    /// Hand over the messages of a peer that were kept.
    case resume(PeerID)
    /// Write this entry to the journal, after the previous ones. The result is reported by
    /// ``Input/persisted(upTo:fault:)`` or ``Input/notPersisted(upTo:_:)``.
    indirect case persist(JournalEntry)
    /// Tell the administrator.
    indirect case log(LogEntry)
}

extension Effect {
    /// A payload to send under another header than its own.
    package struct Forward: Sendable {
        package let payload: Payload
        package let header: Header
        package let peer: PeerID
        /// The message to send before it.
        package let itinerary: Itinerary?
        /// Whether the broker has no more use for the payload: its memory may go out.
        package var isLast: Bool
    }

    /// A payload to send under another header than its own to several peers.
    package struct Broadcast: Sendable {
        package let payload: Payload
        package let header: Header
        package let peers: [PeerID]

        /// The same, one by one.
        package var forwards: [Forward] {
            peers.indices.map { place in
                Forward(
                    payload: payload, header: header, peer: peers[place], itinerary: nil,
                    isLast: place == peers.count - 1)
            }
        }
    }

    /// The effect itself, or the effects that a broadcast stands for.
    package var individual: [Effect] {
        if case .broadcast(let broadcast) = self {
            broadcast.forwards.map { .forward($0) }
        } else {
            [self]
        }
    }

    /// The messages that it sends, in this order, and the peer that they are for; `nil` where it
    /// sends nothing, or is not ``individual``. For drivers that keep messages in arrays.
    package var sent: (messages: [[UInt8]], peer: PeerID)? {
        switch self {
        case .send(let header, let peer):
            ([header.encoded()], peer)
        case .sendMessage(let message, let peer):
            ([message], peer)
        case .forward(let forward):
            (
                (forward.itinerary.map { [$0.encoded()] } ?? [])
                    + [forward.payload.message(under: forward.header)], forward.peer
            )
        case .broadcast, .disconnect, .postpone, .resume, .persist, .log:
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
