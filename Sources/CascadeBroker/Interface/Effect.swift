// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// An action for the host to perform: one function of ``BrokerHost`` for each.
package enum Effect: Sendable {
    case send(Header, to: PeerID)
    case sendMessage([UInt8], to: PeerID)
    case forward(Forward)
    case broadcast(Broadcast)
    case disconnect(PeerID)
    indirect case persist(JournalEntry)
    indirect case log(LogEntry)
}

extension [Effect] {
    /// Removes all effects, and keeps their storage. Most inputs have one or two, which are removed
    /// faster singly than by `removeAll(keepingCapacity:)`.
    package mutating func clear() {
        while !isEmpty {
            removeLast()
        }
    }
}

/// A program around a broker: the daemon's shell, the simulator, the test kit's bus, a test's world.
///
/// A host hands inputs to its broker and performs the effects by `perform`, the one place that
/// interprets them.
package protocol BrokerHost: ~Copyable {
    /// Sends a message that consists of a header alone.
    mutating func send(_ header: Header, to peer: PeerID)

    /// Sends a whole message.
    mutating func send(_ message: [UInt8], to peer: PeerID)

    /// Sends a payload under another header, after its itinerary if it has one.
    mutating func forward(_ forwarded: Forward)

    /// Sends a payload to several peers. Unless the host has a faster way, each gets it by
    /// ``forward(_:)``.
    mutating func broadcast(_ broadcast: Broadcast)

    /// Closes the connection of a peer whose session has ended, once everything sent to it has been
    /// written, and frees the peer's number.
    mutating func disconnect(_ peer: PeerID)

    /// Writes an entry to the journal, after the previous ones. ``Input/persisted(upTo:fault:)`` or
    /// ``Input/notPersisted(upTo:_:)`` reports the result.
    mutating func persist(_ entry: JournalEntry)

    /// Writes an entry to the administrator's log.
    mutating func log(_ entry: LogEntry)
}

extension BrokerHost where Self: ~Copyable {
    /// Performs the effects of one input, in their order.
    package mutating func perform(_ effects: [Effect]) {
        for index in effects.indices {
            perform(effects[index])
        }
    }

    package mutating func perform(_ effect: Effect) {
        switch effect {
        case .send(let header, let peer): send(header, to: peer)
        case .sendMessage(let message, let peer): send(message, to: peer)
        case .forward(let forwarded): forward(forwarded)
        case .broadcast(let payload): broadcast(payload)
        case .disconnect(let peer): disconnect(peer)
        case .persist(let entry): persist(entry)
        case .log(let entry): log(entry)
        }
    }

    package mutating func send(_ header: Header, to peer: PeerID) {
        send(header.encoded(), to: peer)
    }

    package mutating func broadcast(_ broadcast: Broadcast) {
        for place in broadcast.peers.indices {
            forward(
                Forward(
                    payload: broadcast.payload, header: broadcast.header,
                    peer: broadcast.peers[place], itinerary: nil,
                    isLast: place == broadcast.peers.count - 1))
        }
    }
}

/// A payload to send under another header than its own.
package struct Forward: Sendable {
    package let payload: Payload
    package let header: Header
    package let peer: PeerID
    /// The message to send before it.
    package let itinerary: Itinerary?
    /// Whether the broker has no more use for the payload: its memory may go out.
    package var isLast: Bool

    /// The messages that it consists of, in their order, for hosts that keep messages in arrays.
    package var messages: [[UInt8]] {
        (itinerary.map { [$0.encoded()] } ?? []) + [payload.message(under: header)]
    }
}

/// A payload to send under another header than its own to several peers.
package struct Broadcast: Sendable {
    package let payload: Payload
    package let header: Header
    package let peers: [PeerID]
}

extension Payload {
    /// The message with another header.
    package final func message(under header: Header) -> [UInt8] {
        header.encoded() + Array(content)
    }
}
