// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// Publications: from the publisher down to its subscribers, and back to the one outcome.
extension Broker {
    // MARK: - Publish

    mutating func published(
        _ header: Header, by peer: PeerID, _ payload: Payload
    ) throws(WireError) {
        guard let reach = Reach(rawValue: header.code & 0xFF) else {
            throw WireError("there is no destination \(header.code & 0xFF)")
        }
        var words: MessageFields?
        guard try takeRaised(header, by: peer, payload, &words) else {
            return
        }
        if reach.destination == nil {
            try Self.checkReach(header, words)
        }
        let checked = try checkRaised(header, .publish, words, by: peer, payload)
        var message = Message(
            header, checked, words, payload, at: now,
            standard: configuration.deadlineMilliseconds)
        if let words, words.raised.raisedAs?.isRepeated == true {
            message.markSentAgain()
        }
        guard checked.isAllowed else {
            reject(message, to: reach, by: peer)
            return
        }
        let place = place(header, checked.origin, words, of: peer)
        let isRetained = message.flags.contains(.retained)
        let isLooping = message.causes > configuration.limits.causes
        let served = reach == .publishedBefore ? served(message, by: place) : []
        let recipients = recipients(of: message.name, from: place, reach, without: served)
        do throws(WireError) {
            if recipients.count > 1 {
                try accounts.checkRecipients(
                    recipients.count, of: message,
                    beside: environment.byteCount(of: message.origin.account),
                    configuration.limits)
            }
            if isRetained, !isLooping {
                try checkRoomToRetain(message, at: place)
            }
        } catch {
            // The publisher's place may have been made just now, for a session that is expected back.
            prune(message.origin.node)
            throw error
        }
        observers.counters.count(.published)
        if message.isUnacknowledged, !isRetained, !isLooping,
            let destination = reach.destination,
            emit(message, to: recipients, destination)
        {
            return
        }
        let publication = insert(message, to: reach, from: place)
        for node in served {
            traffic.publications[publication].exclude(node)
        }
        charge(
            Publication.recipientByteCount * recipients.count, of: publication,
            to: message.origin.account)
        monitorPublished(publication)
        if isLooping {
            endLooped(publication: publication)
            return
        }
        if isRetained {
            retain(publication)
            giveToStandIns(publication, beside: recipients)
        }
        deliver(publication)
    }

    /// Charges the publication for its recipients until it ends.
    mutating func charge(
        _ byteCount: Int, of publication: PublicationIndex, to account: AccountIndex
    ) {
        traffic.publications[publication].charge(byteCount, to: account)
        accounts.chargeMessage(byteCount, to: account)
    }

    /// Delivers a publication without a record if no peer waits for its outcome and all its
    /// recipients have room. Returns whether that was possible.
    private mutating func emit(
        _ message: Message, to recipients: [NodeIndex], _ destination: PublishingDestination
    ) -> Bool {
        let origin = message.origin
        guard !recipients.isEmpty, recipients.allSatisfy({ hierarchy[$0].hasRoom }) else {
            return false
        }
        monitorEmitted(message, to: recipients, destination)
        let byteCount = UInt32(clamping: message.payload.count)
        let header = Header(
            .delivery, flags: .unacknowledged, fieldsLength: message.payload.fieldsLength,
            name: message.name.number, sequence: origin.sequence, origin: origin.node.number,
            session: origin.session.number, time: configuration.deadlineMilliseconds,
            code: UInt32(message.causes) << 8)
        var peers: [PeerID] = []
        peers.reserveCapacity(recipients.count)
        let hasStandIns = !traffic.publications.subscribers.standIns.isEmpty
        for node in recipients {
            guard let holder = hierarchy[node].holder else {
                continue
            }
            countSent(byteCount, to: node)
            notifyBeforeMessage(node)
            introduce(to: holder, name: message.name, node: origin.node, session: origin.session)
            let itinerary = address(node, message.name, of: holder)
            let isStandIn =
                hasStandIns
                && traffic.publications.subscribers.standIns.contains(message.name, of: node)
            if itinerary != nil || isStandIn {
                var header = header
                addressStandIn(
                    &header, of: message.name, to: node, Reach(destination), isRetained: false)
                forward(message.payload, header, to: holder, itinerary: itinerary)
            } else {
                peers.append(holder)
            }
        }
        turn.effects.append(
            .broadcast(Broadcast(payload: message.payload, header: header, peers: peers)))
        observers.counters.count(.delivered)
        returnUnacknowledgedCredit(origin.peer)
        return true
    }

    /// - Parameter publisher: the place that it is published from, which the origin or a pin of it keeps.
    mutating func insert(
        _ message: Message, to reach: Reach, from publisher: NodeIndex
    ) -> PublicationIndex {
        let startedAt = now
        let publication = traffic.publications.insert {
            $0.begin(message, to: reach, from: publisher, at: startedAt)
        }
        let deadline = deadlines.insert(message.deadline, .publication(publication))
        traffic.publications[publication].wait(until: deadline)
        pin(message)
        if let session = peers.waitingSession(of: message) {
            traffic.publications.track(publication, of: session)
        }
        return publication
    }

    /// The header that all recipients get, made for the first of them.
    private mutating func header(of publication: PublicationIndex) -> Header {
        if let header = traffic.publications[publication].header {
            return header
        }
        let record = traffic.publications[publication]
        let kept: HeaderFlags =
            record.isGiven
            ? .retained
            : record.reach == .publishedBefore
                ? [.retained, .unacknowledged, .sentAgain] : [.unacknowledged, .sentAgain]
        let header = Header(
            .delivery, flags: record.message.flags.intersection(kept),
            fieldsLength: record.message.payload.fieldsLength, name: record.message.name.number,
            id: DeliveryID(publication).wire,
            sequence: record.message.origin.sequence, origin: record.message.origin.node.number,
            session: record.message.origin.session.number,
            time: millisecondsLeft(until: record.message.deadline),
            code: UInt32(record.message.causes) << 8)
        traffic.publications[publication].setHeader(header)
        return header
    }

    // MARK: - Delivery

    /// Hands the publication to its recipients, as the tree is now.
    mutating func deliver(_ publication: PublicationIndex) {
        traffic.publications[publication].resolveName(in: names)
        let recipients = recipients(
            of: traffic.publications[publication].message.name,
            from: traffic.publications[publication].publisher,
            traffic.publications[publication].reach,
            without: traffic.publications[publication].excluded)
        guard !recipients.isEmpty else {
            recordServed(publication)
            if traffic.publications[publication].reach == .later {
                end(publication, .noSubscriber)
            } else {
                endWithoutSubscriber(publication)
            }
            return
        }
        markSentAgain(publication, to: recipients)
        if traffic.publications[publication].keptMessage != RetainedMessageIndex.none {
            recordServed(publication)
        }
        // The count is one too high until all are called, so that none of them can be the last.
        traffic.publications[publication].addPending()
        for node in recipients {
            deliver(publication, to: node)
        }
        recipientEnded(publication)
    }

    /// The subscribers that a publication from this place is for, except those that do not get it.
    private mutating func recipients(
        of name: NameIndex, from place: NodeIndex, _ reach: Reach, without excluded: [NodeIndex]
    ) -> [NodeIndex] {
        guard reach != .later else {
            return []
        }
        let destination = reach.destination ?? .all
        guard excluded.isEmpty else {
            return traffic.publications.subscribers.recipients(
                of: name, from: place, to: destination, without: excluded, in: hierarchy)
        }
        return traffic.publications.subscribers.recipients(
            of: name, from: place, to: destination, in: hierarchy)
    }

    /// Throws if a publication that is for those who have not had it, or for later ones, is not a retained one
    /// of another bus.
    private static func checkReach(_ header: Header, _ words: MessageFields?) throws(WireError) {
        guard words?.raised.raisedAs != nil, header.flags.contains(.retained) else {
            throw WireError("there is no destination \(header.code & 0xFF)")
        }
    }

    /// Delivers the publication to one subscriber only.
    mutating func deliver(_ publication: PublicationIndex, only node: NodeIndex) {
        traffic.publications[publication].addPending()
        deliver(publication, to: node)
        recipientEnded(publication)
    }

    private mutating func deliver(_ publication: PublicationIndex, to node: NodeIndex) {
        guard let holder = hierarchy[node].holder else {
            return
        }
        hierarchy[node].pin()
        traffic.publications[publication].add(node)
        let isUnacknowledged = traffic.publications[publication].message.flags.contains(
            .unacknowledged)
        if isUnacknowledged, hierarchy[node].hasRoom {
            countSent(
                UInt32(clamping: traffic.publications[publication].message.payload.count), to: node)
            forward(publication, to: node, of: holder)
            return
        }
        let delivery = traffic.deliveries.insert(
            .publication(publication), node: node, peer: holder)
        traffic.publications[publication].addPending()
        if hierarchy[node].hasRoom {
            sendDelivery(delivery, of: publication)
        } else if !enqueue(
            delivery, at: node,
            emitter: isUnacknowledged
                ? traffic.publications[publication].message.origin.account : nil)
        {
            traffic.deliveries.remove(delivery)
            recipientEnded(publication)
        }
    }

    mutating func sendDelivery(_ delivery: DeliveryIndex, of publication: PublicationIndex) {
        let node = traffic.deliveries[delivery].node
        forward(publication, to: node, of: traffic.deliveries[delivery].peer)
        let byteCount = UInt32(clamping: traffic.publications[publication].message.payload.count)
        if traffic.publications[publication].message.flags.contains(.unacknowledged) {
            countSent(byteCount, to: node)
            traffic.deliveries.remove(delivery)
            recipientEnded(publication)
        } else {
            markSent(delivery, byteCount: byteCount)
        }
    }

    private mutating func forward(
        _ publication: PublicationIndex, to node: NodeIndex, of holder: PeerID
    ) {
        let origin = traffic.publications[publication].message.origin
        let name = traffic.publications[publication].message.name
        notifyBeforeMessage(node)
        introduce(to: holder, name: name, node: origin.node, session: origin.session)
        var header = header(of: publication)
        if !traffic.publications.subscribers.standIns.isEmpty {
            addressStandIn(
                &header, of: name, to: node, traffic.publications[publication].reach,
                isRetained: traffic.publications[publication].message.flags.contains(.retained))
        }
        forward(
            traffic.publications[publication].message.payload, header, to: holder,
            itinerary: address(node, name, of: holder))
    }

    /// Names the recipient where its session has several subscribers of the name.
    private mutating func address(
        _ node: NodeIndex, _ name: NameIndex, of holder: PeerID
    ) -> Itinerary? {
        guard peers[holder].nodes.count > 1 else {
            return nil
        }
        let hasSeveral = traffic.publications.subscribers.hasSeveral(
            of: name, among: peers[holder].nodes, of: holder, in: hierarchy)
        return hasSeveral ? Itinerary([Itinerary.Stop(node: node.number, responder: 0)]) : nil
    }
}

extension AccountTable {
    /// Throws if a publication has more recipients than it may have, or than there is room for.
    ///
    /// - Parameter others: bytes of the values that its user has set.
    fileprivate func checkRecipients(
        _ count: Int, of message: Message, beside others: Int, _ limits: Limits
    ) throws(WireError) {
        try Limits.check(
            count, "recipients of one publication", limits.recipients, named: "recipients")
        try checkBytes(
            message.payload.count + Payload.recordByteCount
                + Publication.recipientByteCount * count, of: message.origin.account,
            beside: others, limit: limits.bytesPerUser)
    }
}
