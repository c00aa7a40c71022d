// SPDX-License-Identifier: Apache-2.0

import CascadeWire

typealias DeliveryIndex = Slab<Delivery>.Index

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
        case event(EventIndex)
        case publication(PublicationIndex)
    }

    var subject = Subject.event(EventIndex.none)
    var node = NodeIndex.none
    var peer = PeerID(index: 0, generation: 0)
    private(set) var state = State.waiting
    /// The node has begun, before or after the deadline.
    private(set) var hasBegun = false
    /// Bytes of the message that it was sent with.
    private(set) var byteCount: UInt32 = 0
    private(set) var sentAt = Instant(nanoseconds: 0)
    /// What a subscriber quotes, and its verdict too; 0 for an event.
    private(set) var publicationID: UInt64 = 0

    // Neighbours in the node's list; ``Slab/Index/none`` for none.
    var next = DeliveryIndex.none
    var previous = DeliveryIndex.none

    /// A record without a delivery.
    init() {}

    /// - Parameter publicationID: 0 for an event.
    init(_ subject: Subject, node: NodeIndex, peer: PeerID, publicationID: UInt64) {
        self.subject = subject
        self.node = node
        self.peer = peer
        self.publicationID = publicationID
    }

    mutating func markSent(_ byteCount: UInt32, at now: Instant) {
        state = .sent
        sentAt = now
        self.byteCount = byteCount
    }

    /// Its recipient has begun.
    mutating func begin() {
        hasBegun = true
        if state == .sent {
            state = .accepted
        }
    }

    mutating func expire() {
        state = .expired
    }
}
