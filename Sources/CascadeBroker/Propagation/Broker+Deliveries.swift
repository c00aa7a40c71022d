// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Deliveries: how events and publications reach a node, wait for it, return or are lost with it.
extension Broker {
    // MARK: - On the way

    /// Lets a delivery wait until the node has room. Returns whether there was room to wait.
    ///
    /// - Parameter emitter: the account that an unacknowledged message is charged to; `nil` for any
    ///   other message, which is never dropped.
    mutating func enqueue(
        _ delivery: DeliveryIndex, at node: NodeIndex, emitter: AccountIndex?
    ) -> Bool {
        let limit = configuration.limits.waitingEmits
        guard traffic.deliveries.enqueue(delivery, emitter: emitter, limit: limit, accounts) else {
            observers.counters.count(.dropped)
            return false
        }
        hierarchy[node].countQueued()
        return true
    }

    /// - Parameter byteCount: bytes of the message that was sent.
    @inline(__always)
    mutating func markSent(_ delivery: DeliveryIndex, byteCount: UInt32) {
        let node = traffic.deliveries.markSent(delivery, byteCount, at: now)
        countSent(byteCount, to: node)
    }

    /// The node has one more to answer, of so many bytes.
    @inline(__always)
    mutating func countSent(_ byteCount: UInt32, to node: NodeIndex) {
        hierarchy[node].countSent(byteCount, limit: configuration.limits.prefetchBytes)
    }

    /// Sends the node's waiting deliveries, as far as it has room.
    mutating func pump(_ node: NodeIndex) {
        // A node that has left has no waiting deliveries.
        while hierarchy.contains(node), hierarchy[node].hasRoomForWaiting,
            let delivery = traffic.deliveries.firstWaiting(at: node)
        {
            stopWaiting(delivery)
            switch traffic.deliveries[delivery].subject {
            case .event(let event): sendVisit(delivery, of: event)
            case .publication(let publication) where subscribes(node, to: publication):
                sendDelivery(delivery, of: publication)
            case .publication: lost(delivery)
            }
        }
    }

    /// A node may have ended its subscription while a publication waited for it.
    private func subscribes(_ node: NodeIndex, to publication: PublicationIndex) -> Bool {
        hierarchy[node].subscriptions.contains(traffic.publications[publication].message.name)
    }

    private mutating func stopWaiting(_ delivery: DeliveryIndex) {
        let node = traffic.deliveries[delivery].node
        traffic.deliveries.dequeue(delivery)
        hierarchy[node].countDequeued()
    }

    /// Redirects the node's waiting deliveries to the next one; the node receives no more.
    mutating func passOnWaiting(_ node: NodeIndex) {
        while hierarchy.contains(node), let delivery = traffic.deliveries.firstWaiting(at: node) {
            stopWaiting(delivery)
            lost(delivery)
        }
    }

    // MARK: - Accepted, answered

    /// The delivery that a message of a node is about; `nil` if it is over. Throws if it was never
    /// this peer's.
    @inline(__always)
    private func delivery(
        _ header: Header, of peer: PeerID
    ) throws(WireError) -> DeliveryIndex? {
        switch DeliveryID(wire: header.id) {
        case .visit(let id): try traffic.deliveries.find(visit: id, of: peer)
        case .publication(let id):
            try traffic.deliveries.find(
                publication: id, of: peer, at: hierarchy.node(header.node, heldBy: peer))
        }
    }

    mutating func accepted(_ header: Header, by peer: PeerID) throws(WireError) {
        if let delivery = try delivery(header, of: peer) {
            traffic.deliveries.begin(delivery, at: now)
        }
    }

    mutating func answered(
        _ header: Header, by peer: PeerID, _ message: Payload
    ) throws(WireError) {
        let answer = try Answer(header, message, names)
        guard let delivery = try delivery(header, of: peer) else {
            observers.counters.count(.lateVerdicts)
            return
        }
        let answered = traffic.deliveries.removeSent(delivery)
        var covered: [NodeIndex] = []
        if let event = answered.visited, traffic.events[event].hasLaterStops {
            covered = uncover(event, of: answered.peer)
        }
        hierarchy[answered.node].countAnswer(
            of: answered.byteCount, from: answered.sentAt, to: now,
            isFailed: answer.code == .failed, limit: configuration.limits.prefetchBytes)
        if header.flags.contains(.nextAccepted) {
            acceptNext(at: answered.node)
        }
        if answered.state == .expired {
            observers.counters.count(.lateVerdicts)
        } else {
            switch answered.subject {
            case .event(let event):
                traffic.events[event].message.payload.markRead()
                if let payload = answer.payload {
                    charge(payload, to: traffic.events[event].message.origin.account)
                }
                self.answered(event, answer, answered.times)
            case .publication(let publication):
                self.answered(publication, answer, by: answered.node)
            }
        }
        if hierarchy.contains(answered.node), hierarchy[answered.node].isWaitingForAnswers {
            pump(answered.node)
            finishLeaving(answered.node)
        }
        for node in covered {
            finishLeaving(node)
        }
    }

    private mutating func acceptNext(at node: NodeIndex) {
        // An expired delivery waits for its turn like the others.
        if let next = traffic.deliveries.firstOutstanding(at: node, where: { !$0.hasBegun }) {
            traffic.deliveries.begin(next, at: now)
        }
    }

    /// A node has worked off events that it does not answer one by one.
    mutating func creditReturned(_ header: Header, by peer: PeerID) {
        guard let node = hierarchy.node(header.node), hierarchy.holds(peer, node) else {
            return
        }
        // Which ones they were is not said: each stands for as many bytes as the others.
        let count = min(header.code, hierarchy[node].unansweredCount)
        let all = Int(max(1, hierarchy[node].unansweredCount))
        let bytes = hierarchy[node].unansweredByteCount
        hierarchy[node].countAnswered(
            count, saying: header.code, (bytes / all) * Int(count),
            limit: configuration.limits.prefetchBytes)
        pump(node)
    }

    // MARK: - Visits to several nodes

    /// The visit has been sent: it may come to the nodes behind its first, which have to stay until
    /// it has been answered.
    mutating func cover(_ event: EventIndex) {
        for stop in traffic.events[event].stops.dropFirst() {
            hierarchy[stop.node].addLaterStop()
        }
    }

    /// Ends a visit of the peer with later stops. Returns the nodes after its first.
    private mutating func uncover(_ event: EventIndex, of peer: PeerID) -> [NodeIndex] {
        let covered = traffic.events[event].stops.dropFirst().map(\.node)
        for node in covered where hierarchy.holds(peer, node) {
            hierarchy[node].removeLaterStop()
        }
        return covered
    }

    // MARK: - Expired, lost

    /// Abandons the visit, whose verdict is no longer awaited. If it has later stops, the worker
    /// may be at one of them already, and a node asked there again has to know this. Returns the
    /// nodes of those stops.
    private mutating func abandon(_ delivery: DeliveryIndex) -> [NodeIndex] {
        guard let event = traffic.deliveries[delivery].visited,
            traffic.events[event].hasLaterStops
        else {
            return []
        }
        traffic.events[event].markSentAgain()
        return uncover(event, of: traffic.deliveries[delivery].peer)
    }

    /// Handles a delivery's deadline. A sent delivery keeps its place until the node answers,
    /// leaves or is detached; a waiting one is removed.
    mutating func expire(_ delivery: DeliveryIndex) {
        let node = traffic.deliveries[delivery].node
        if traffic.deliveries[delivery].state == .waiting {
            stopWaiting(delivery)
            traffic.deliveries.remove(delivery)
        } else {
            let covered = abandon(delivery)
            traffic.deliveries.expire(delivery)
            finishLeaving(node)
            for node in covered {
                finishLeaving(node)
            }
        }
    }

    /// Treats all that the node has accepted as lost with it, although the node stays: it has given up
    /// this work by its own wish, so its session is no reason to quarantine an event.
    mutating func abandonAccepted(at node: NodeIndex) {
        let limit = configuration.limits.prefetchBytes
        let begun = traffic.deliveries.takeBegun(at: node)
        for delivery in begun {
            hierarchy[node].countAnswered(
                1, saying: 0, Int(traffic.deliveries[delivery].byteCount), limit: limit)
        }
        for delivery in begun where traffic.deliveries.contains(delivery) {
            lost(delivery, isAbandoned: true)
        }
        finishLeaving(node)
    }

    /// Handles a delivery whose node is gone or has been taken over: accepted work has failed
    /// there; other work continues at the next node, unless it is to be handled at most once and
    /// may have begun. The delivery is in none of the node's lists any longer.
    ///
    /// - Parameter isAbandoned: whether the node is still there, and only gives up the delivery.
    mutating func lost(_ delivery: DeliveryIndex, isAbandoned: Bool = false) {
        let lost = traffic.deliveries[delivery]
        for node in abandon(delivery) {
            finishLeaving(node)
        }
        traffic.deliveries.remove(delivery)
        guard lost.state != .expired else {
            return
        }
        switch lost.subject {
        case .event(let event):
            self.lost(event, with: lost, isAbandoned: isAbandoned)
        case .publication(let publication):
            if lost.state == .sent {
                traffic.publications[publication].recordLoss(at: lost.node)
            }
            self.lost(publication, at: lost.node, wasAccepted: lost.state == .accepted)
        }
    }

    private mutating func lost(_ event: EventIndex, with delivery: Delivery, isAbandoned: Bool) {
        let stops = traffic.events[event].stops
        traffic.events[event].endDelivery()
        if delivery.state != .waiting {
            traffic.events[event].markMayHaveBegun()
        }
        if delivery.state == .accepted {
            recordUnanswered(event, stops, delivery.times)
            let mayBeCrash = !isAbandoned && !hierarchy[delivery.node].isUplink
            if mayBeCrash, isQuarantined(event) {
                quarantine(event, at: delivery.node)
                return
            }
        }
        guard mayContinue(event, afterLossIn: delivery.state) else {
            failUnanswered(event, .nodeLost, stops, at: delivery.node, skippingNode: true)
            return
        }
        if isAbandoned {
            move(event, to: delivery.node, cursor: .max)
        }
        advance(event)
    }

    /// Whether the next node may get an event whose delivery was lost in this state.
    private func mayContinue(_ event: EventIndex, afterLossIn state: Delivery.State) -> Bool {
        let message = traffic.events[event].message
        return switch state {
        case .waiting: true
        case .sent where !message.isUnacknowledged: true
        case .sent, .accepted, .expired: message.flags.contains(.passOnLoss)
        }
    }
}
