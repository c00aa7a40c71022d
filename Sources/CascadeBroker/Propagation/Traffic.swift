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

    // MARK: - Deliveries

    /// Tells the number of a publication from that of a delivery.
    static let publicationMark: UInt64 = 1 << 31

    /// The delivery that a message of a node is about; `nil` if it is over. Throws if it was never
    /// this peer's.
    @inline(__always)
    func delivery(
        _ header: Header, of peer: PeerID, in hierarchy: borrowing Hierarchy
    ) throws(WireError) -> DeliveryIndex? {
        let isPublished = header.id & Self.publicationMark != 0
        let found =
            isPublished
            ? publishedDelivery(header, of: peer, in: hierarchy) : deliveries.find(header.id)
        // A publication's delivery is quoted by the publication's ID, not by its own.
        guard let found, isPublished || deliveries[found].publicationID == 0 else {
            return nil
        }
        guard deliveries[found].peer == peer, deliveries[found].state != .waiting else {
            throw WireError(.notYours, "the delivery \(header.id) was never this session's")
        }
        return found
    }

    /// The recipients of a publication share its ID, so the node selects the delivery. An expired
    /// delivery is found too, even if the publication has ended, so that its place can be freed.
    @inline(__always)
    private func publishedDelivery(
        _ header: Header, of peer: PeerID, in hierarchy: borrowing Hierarchy
    ) -> DeliveryIndex? {
        guard let node = hierarchy.node(header.node), hierarchy.holds(peer, node) else {
            return nil
        }
        return deliveries.firstOutstanding(at: node) { delivery in
            delivery.publicationID == header.id
        }
    }
}
