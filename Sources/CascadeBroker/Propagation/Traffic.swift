// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The messages under way in the tree. Each of the tables has its own state and its own rules; the
/// broker passes results from one to another.
struct Traffic: ~Copyable {
    /// Events on their way up.
    var events = EventTable()
    /// Publications on their way down.
    var publications = PublicationTable()
    /// Messages handed to nodes, or on their way to them.
    var deliveries = DeliveryTable()
    /// Events that outlive the daemon, and their outcomes.
    var durable: DurableStore
    /// Events that ended without a handler, for the administrator.
    var undelivered = UndeliveredRing()

    /// - Parameter now: when the daemon began.
    init(at now: Instant) {
        durable = DurableStore(at: now)
    }
}

/// The ID of a message to a node, which the node's answer quotes: each visit has its own, and the
/// recipients of a publication share one.
enum DeliveryID {
    /// The ``Slab/Index/id`` of the delivery.
    case visit(UInt64)
    /// The ``Slab/Index/id`` of the publication.
    case publication(UInt64)

    /// A bit that no ID of a record has, because a slab has fewer records.
    private static let publicationBit: UInt64 = 1 << 31

    init(_ delivery: DeliveryIndex) {
        self = .visit(delivery.id)
    }

    init(_ publication: PublicationIndex) {
        self = .publication(publication.id)
    }

    init(wire: UInt64) {
        let id = wire & ~Self.publicationBit
        self = id == wire ? .visit(id) : .publication(id)
    }

    /// The ID in the headers of the message and its answer.
    var wire: UInt64 {
        switch self {
        case .visit(let id): id
        case .publication(let id): id | Self.publicationBit
        }
    }
}
