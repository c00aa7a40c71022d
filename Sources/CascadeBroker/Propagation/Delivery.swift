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

    /// The message of a delivery.
    enum Subject: Equatable, Sendable {
        case event(EventIndex)
        case publication(PublicationIndex)
    }

    private(set) var subject = Subject.event(EventIndex.none)
    private(set) var node = NodeIndex.none
    private(set) var peer = PeerID(index: 0, generation: 0)
    private(set) var state = State.waiting
    /// The node has begun, before or after the deadline.
    private(set) var hasBegun = false
    /// Bytes of the message that it was sent with.
    private(set) var byteCount: UInt32 = 0
    private(set) var sentAt = Instant(nanoseconds: 0)
    /// Microseconds from then until the node accepted it.
    private(set) var waited = VisitTimes.unknown
    /// The account charged for an unacknowledged message while it waits; `nil` for any other.
    var emitter: AccountIndex?

    // Neighbours in the node's list; ``Slab/Index/none`` for none.
    fileprivate(set) var next = DeliveryIndex.none
    fileprivate(set) var previous = DeliveryIndex.none

    /// A record without a delivery.
    init() {}

    init(_ subject: Subject, node: NodeIndex, peer: PeerID) {
        self.subject = subject
        self.node = node
        self.peer = peer
    }

    /// The publication of the delivery; `nil` for an event.
    var publication: PublicationIndex? {
        if case .publication(let publication) = subject { publication } else { nil }
    }

    /// The times of the visit, for its event's trail.
    var times: VisitTimes {
        VisitTimes(sentAt: sentAt, waited: waited)
    }

    /// The event that the delivery visits, if the delivery was sent and has not expired.
    var visited: EventIndex? {
        guard state == .sent || state == .accepted, case .event(let event) = subject else {
            return nil
        }
        return event
    }

    fileprivate mutating func link(after previous: DeliveryIndex) {
        self.previous = previous
        next = DeliveryIndex.none
    }

    func isSent(to peer: PeerID) -> Bool {
        self.peer == peer && state != .waiting
    }

    mutating func markSent(_ byteCount: UInt32, at now: Instant) -> NodeIndex {
        state = .sent
        sentAt = now
        self.byteCount = byteCount
        return node
    }

    /// Its recipient has begun.
    mutating func begin(at now: Instant) {
        if !hasBegun {
            waited = VisitTimes.microseconds(from: sentAt, to: now)
        }
        hasBegun = true
        if state == .sent {
            state = .accepted
        }
    }

    mutating func expire() {
        state = .expired
    }
}

/// The ends of a chain of deliveries; the links are in the deliveries themselves.
struct DeliveryList {
    private var first = Slab<Delivery>.Slot.none
    private var last = Slab<Delivery>.Slot.none

    @inline(__always)
    mutating func append(_ delivery: DeliveryIndex, _ records: inout Slab<Delivery>) {
        let last = records.index(at: last)
        records[delivery].link(after: last)
        if last == DeliveryIndex.none {
            first = delivery.link
        } else {
            records[last].next = delivery
        }
        self.last = delivery.link
    }

    @inline(__always)
    mutating func remove(_ removed: Delivery, _ records: inout Slab<Delivery>) {
        let next = removed.next
        let previous = removed.previous
        if previous == DeliveryIndex.none {
            first = next.link
        } else {
            records[previous].next = next
        }
        if next == DeliveryIndex.none {
            last = previous.link
        } else {
            records[next].previous = previous
        }
    }

    func all(in records: borrowing Slab<Delivery>) -> [DeliveryIndex] {
        var found: [DeliveryIndex] = []
        var delivery = records.index(at: first)
        while delivery != DeliveryIndex.none {
            found.append(delivery)
            delivery = records[delivery].next
        }
        return found
    }

    func first(
        in records: borrowing Slab<Delivery>, where condition: (Delivery) -> Bool
    ) -> DeliveryIndex? {
        var delivery = records.index(at: first)
        while delivery != DeliveryIndex.none {
            if condition(records[delivery]) {
                return delivery
            }
            delivery = records[delivery].next
        }
        return nil
    }
}
