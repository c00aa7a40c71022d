// SPDX-License-Identifier: Apache-2.0

/// What travels through the tree. Each of the tables has its own state and its own rules; what one
/// of them finds out is carried to another by the broker.
struct Traffic {
    /// Events on their way up.
    var events = EventTable()
    /// Publications on their way down.
    var publications = PublicationTable()
    /// What is in nodes' hands, or on the way there.
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
