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

    /// Tells the number of a publication from that of a delivery.
    static let publicationMark: UInt64 = 1 << 31

    /// Whether an ID that a node quotes is that of a publication.
    static func isPublication(_ id: UInt64) -> Bool {
        id & publicationMark != 0
    }
}
