// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// All deliveries under way, each in one of its node's two lists.
struct DeliveryTable: ~Copyable {
    private var records = Slab<Delivery>()
    var waitingEmits = WaitingEmits()

    var count: Int {
        records.count
    }

    subscript(delivery: DeliveryIndex) -> Delivery {
        _read { yield records[delivery] }
        _modify { yield &records[delivery] }
    }

    mutating func insert(
        _ subject: Delivery.Subject, node: NodeIndex, peer: PeerID, publicationID: UInt64 = 0
    ) -> DeliveryIndex {
        records.insert(Delivery()) { record in
            record = Delivery(subject, node: node, peer: peer, publicationID: publicationID)
        }
    }

    mutating func remove(_ delivery: DeliveryIndex) {
        records.remove(delivery)
    }

    /// Returns the ID quoted by a visit and its verdict: the delivery and its generation.
    func id(_ delivery: DeliveryIndex) -> UInt64 {
        delivery.id
    }

    /// The delivery that an ID names, unless it is over.
    func find(_ id: UInt64) -> DeliveryIndex? {
        records.index(ofID: id)
    }

    func contains(_ delivery: DeliveryIndex) -> Bool {
        records.contains(delivery)
    }

    /// The first delivery of a list; none if it is empty.
    func first(in list: DeliveryList) -> DeliveryIndex {
        records.index(at: list.first)
    }

    /// The deliveries of a list, in its order.
    func all(in list: DeliveryList) -> [DeliveryIndex] {
        var found: [DeliveryIndex] = []
        var delivery = records.index(at: list.first)
        while delivery != DeliveryIndex.none {
            found.append(delivery)
            delivery = records[delivery].next
        }
        return found
    }

    // MARK: - Lists

    mutating func append(_ delivery: DeliveryIndex, to list: inout DeliveryList) {
        let last = records.index(at: list.last)
        records[delivery].previous = last
        records[delivery].next = DeliveryIndex.none
        if last == DeliveryIndex.none {
            list.first = delivery.link
        } else {
            records[last].next = delivery
        }
        list.last = delivery.link
    }

    mutating func unlink(_ delivery: DeliveryIndex, from list: inout DeliveryList) {
        let next = records[delivery].next
        let previous = records[delivery].previous
        if previous == DeliveryIndex.none {
            list.first = next.link
        } else {
            records[previous].next = next
        }
        if next == DeliveryIndex.none {
            list.last = previous.link
        } else {
            records[next].previous = previous
        }
    }

    /// The first delivery of a list that meets a condition.
    func first(in list: DeliveryList, where condition: (Delivery) -> Bool) -> DeliveryIndex? {
        var delivery = records.index(at: list.first)
        while delivery != DeliveryIndex.none {
            if condition(records[delivery]) {
                return delivery
            }
            delivery = records[delivery].next
        }
        return nil
    }
}

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
    /// The ID quoted by a publication's delivery and its answer; 0 for an event.
    private(set) var publicationID: UInt64 = 0

    // Neighbours in the node's list; ``Slab/Index/none`` for none.
    fileprivate(set) var next = DeliveryIndex.none
    fileprivate(set) var previous = DeliveryIndex.none

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

/// The ends of a chain of deliveries; the links are in the deliveries themselves.
struct DeliveryList: Sendable {
    fileprivate(set) var first = Slab<Delivery>.Slot.none
    fileprivate(set) var last = Slab<Delivery>.Slot.none

    var isEmpty: Bool {
        first == .none
    }
}
