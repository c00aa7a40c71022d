// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// What the shell has to do, in this order.
package enum Effect: Equatable, Sendable {
    /// Write the header over the payload's first bytes.
    case stamp(PayloadID, Header)
    /// Give the payload bytes of its own first: a send that is still queued may be reading them.
    case unshare(PayloadID)
    /// Make a message: room for a header, then `fields`, then `payload`. The broker chooses its
    /// number, beyond all of the shell's.
    case compose(PayloadID, fields: [UInt8], payload: [UInt8])
    /// The same, with a copy of another message's payload behind the fields.
    case recompose(PayloadID, fields: [UInt8], payloadOf: PayloadID)
    /// Say what is in the payload now, by ``Input/examined``: after the effects that come with this
    /// one have been carried out, and before any other input.
    case examine(PayloadID, Examination)
    /// Send the payload, with its itinerary behind it if there is one. The last send also releases
    /// it.
    case forward(PayloadID, to: PeerID, itinerary: Itinerary?, isLast: Bool)
    /// Send a header that says it all.
    case send(Header, to: PeerID)
    /// Send a whole message.
    case sendMessage([UInt8], to: PeerID)
    /// The payload is no longer needed.
    case release(PayloadID)
    /// The peer's session is over; forget its connection once what was sent to it has gone out.
    case disconnect(PeerID)
    /// Write this into the journal, behind what was to be written before.
    /// ``Input/persisted(upTo:fault:)`` or ``Input/notPersisted(upTo:_:)`` says how that went.
    case persist(JournalEntry)
    /// Tell the administrator.
    case log(LogEntry)
}
