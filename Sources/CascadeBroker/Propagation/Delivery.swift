// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// One handing-over of an event or a publication to a node.
struct Delivery: Sendable {
    enum State: Sendable {
        /// It waits until the node's prefetch has room. Exits: sent, withdrawn.
        case waiting
        /// It is on its way. Exits: accepted, answered, expired, withdrawn.
        case sent
        /// The node has begun. Exits: answered, expired, lost.
        case accepted
        /// Its deadline has passed; it still takes the node's place. Exits: answered late, lost.
        case expired
    }

    /// What is handed over.
    enum Subject: Equatable, Sendable {
        case event(UInt32)
        case publication(UInt32)
    }

    var subject = Subject.event(0)
    var node = Header.noNode
    var peer = PeerID(index: 0, generation: 0)
    var state = State.waiting
    /// The node has begun, before or after the deadline.
    var hasBegun = false
    /// Bytes of the message that it was sent with.
    var byteCount: UInt32 = 0
    var sentAt = Instant(nanoseconds: 0)
    /// What a subscriber quotes, and its verdict too; 0 for an event.
    var publicationID: UInt64 = 0

    // Neighbours in the node's list; ``Header/noNode`` for none.
    var next = Header.noNode
    var previous = Header.noNode

    mutating func markSent(_ byteCount: UInt32, at now: Instant) {
        state = .sent
        sentAt = now
        self.byteCount = byteCount
    }
}
