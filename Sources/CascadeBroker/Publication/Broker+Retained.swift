// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Retained publications: the latest publication of each publisher and name, for later subscribers.
extension Broker {
    // MARK: - Keeping

    /// Throws if the value of a publisher would be one too many.
    func checkRoomToRetain(_ message: Message, at publisher: NodeIndex) throws(WireError) {
        guard let name = names.name(message.name) ?? message.text else {
            return
        }
        let account = message.origin.account
        let replaced = traffic.publications.retained.value(
            of: name, of: hierarchy.path(of: publisher))
        // Another user's value that is replaced makes room for that user.
        let isOwn = replaced?.account == account
        let byteCount = message.payload.count
        try share(of: account, in: .retained).check(isOwn ? 0 : 1)
        try share(of: account, in: .retainedBytes)
            .check(byteCount - (isOwn ? Int(replaced?.byteCount ?? 0) : 0))
    }

    /// Retains the publication, in place of the publisher's former one of the same name.
    mutating func retain(_ publication: PublicationIndex) {
        let record = traffic.publications[publication]
        guard let name = names.name(record.message.name) ?? record.message.text else {
            return
        }
        let message = traffic.publications.retained.keep(record.message.payload)
        keep(message, for: publication)
        sessions.pin(record.message.origin.session)
        let isForeign = record.message.origin.node != record.publisher
        let value = RetainedValue(
            path: hierarchy.path(of: record.publisher),
            origin: isForeign ? hierarchy.path(of: record.message.origin.node) : nil, name: name,
            message: message, byteCount: UInt32(clamping: record.message.payload.count),
            session: record.message.origin.session, account: record.message.origin.account,
            sequence: record.message.origin.sequence, causes: record.message.causes)
        accounts.charge(1, .retained, to: value.account)
        accounts.charge(Int(value.byteCount), .retainedBytes, to: value.account)
        if let replaced = traffic.publications.retained.insert(value) {
            letGo(replaced)
        }
    }

    private mutating func keep(_ message: RetainedMessageIndex, for publication: PublicationIndex) {
        traffic.publications[publication].keep(message)
        traffic.publications.retained.use(message)
    }

    /// Forgets a value on an administrator's behalf.
    mutating func clearRetained(_ name: EventName, of path: NodePath) throws(WireError) {
        guard let cleared = traffic.publications.retained.remove(name, of: path) else {
            throw WireError(.noSuchEvent, "nothing is retained under '\(name)' at '\(path)'")
        }
        letGo(cleared)
    }

    private mutating func letGo(_ value: RetainedValue) {
        accounts.release(1, .retained, from: value.account)
        accounts.release(Int(value.byteCount), .retainedBytes, from: value.account)
        letGo(keptMessage: value.message)
        unpinSession(value.session)
    }

    /// One less needs the message.
    mutating func letGo(keptMessage message: RetainedMessageIndex) {
        release(traffic.publications.retained.letGo(message))
    }

    // MARK: - Giving

    /// Records the current subscribers, so that they do not get a retained value a second time.
    mutating func recordServed(_ publication: PublicationIndex) {
        let record = traffic.publications[publication]
        guard record.keptMessage != RetainedMessageIndex.none,
            let name = names.name(record.message.name)
        else {
            return
        }
        let nodes = traffic.publications.subscribers.recipients(
            of: record.message.name, from: record.publisher, to: .all, in: hierarchy)
        traffic.publications.retained.serve(name, record.keptMessage, to: nodes)
    }

    /// The subscribers that have had the publication that this message repeats: it is the one that is
    /// retained.
    func served(_ message: Message, by publisher: NodeIndex) -> [NodeIndex] {
        guard let name = names.name(message.name),
            let value = traffic.publications.retained.value(
                of: name, of: hierarchy.path(of: publisher)),
            value.sequence == message.origin.sequence,
            sessions[value.session] == sessions[message.origin.session]
        else {
            return []
        }
        return value.served.sorted { $0.number < $1.number }
    }

    /// The node no longer subscribes to these names.
    mutating func forgetServed(_ node: NodeIndex, _ numbers: [NameIndex]) {
        guard !traffic.publications.retained.isEmpty else {
            return
        }
        for number in numbers {
            if let name = names.name(number) {
                traffic.publications.retained.forget(node, name)
            }
        }
    }

    /// Nodes below these may be active now, and subscribers.
    mutating func sendRetained(below nodes: [NodeIndex]) {
        guard !traffic.publications.retained.isEmpty else {
            return
        }
        for node in nodes where hierarchy.contains(node) && node != Hierarchy.root {
            sendRetained(to: hierarchy.subtree(of: node, depth: .max))
        }
    }

    /// Sends the subscribers among these nodes the publications retained before they attached.
    mutating func sendRetained(to nodes: [NodeIndex]) {
        guard !traffic.publications.retained.isEmpty else {
            return
        }
        for node in nodes
        where hierarchy.contains(node) && hierarchy[node].isAvailable && hierarchy.isActive(node) {
            let path = hierarchy.path(of: node)
            for number in hierarchy[node].subscriptions {
                guard let name = names.name(number) else {
                    continue
                }
                for value in traffic.publications.retained.take(name, for: node, at: path) {
                    send(value, number, to: node, .publishedBefore)
                }
            }
        }
    }

    /// Delivers a retained value like any publication, without an awaited outcome.
    ///
    /// - Parameter reach: the subscribers below the node that it reaches, if the node is a stand-in.
    mutating func send(
        _ value: RetainedValue, _ name: NameIndex, to node: NodeIndex, _ reach: Reach
    ) {
        let place = findOrMake(value.path, for: value.account)
        let origin = value.origin.map { makeForeign($0, below: place, for: value.account) }
        let milliseconds = configuration.deadlineMilliseconds
        let message = Message(
            origin: Origin(node: origin ?? place, session: value.session, sequence: value.sequence),
            name: name, flags: .retained,
            payload: traffic.publications.retained.payload(of: value.message),
            deadline: now.advanced(byMilliseconds: milliseconds), milliseconds: milliseconds,
            causes: value.causes)
        let publication = insert(message, to: reach, from: place)
        keep(value.message, for: publication)
        traffic.publications[publication].markAsRetained()
        // The subscriber's user is charged even beyond its limit; the limit refuses that user's next request.
        charge(
            Payload.recordByteCount + Publication.recipientByteCount, of: publication,
            to: hierarchy[node].account)
        observers.counters.count(.retainedGiven)
        deliver(publication, only: node)
    }
}
