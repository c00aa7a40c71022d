// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeWire
import DequeModule

/// Inspection: what stands in the tree, told once or again on each change. Looking changes nothing.
extension Broker {
    /// Changes that follow one another closely are told together.
    private static let answerIntervalMilliseconds: UInt32 = 50

    mutating func query(_ query: Query, by peer: PeerID) throws(WireError) {
        endRepeatingQuery(query.request, of: peer)
        if case .monitor(let filter) = query.subject {
            try monitor(filter, query, by: peer)
            return
        }
        if query.isRepeating {
            try repeatAnswers(to: query, by: peer)
        }
        try answer(query, to: peer)
    }

    /// A query takes the place of the repeating one that it shares its request number with.
    private mutating func endRepeatingQuery(_ request: UInt64, of peer: PeerID) {
        if !monitors.isEmpty {
            monitors.removeAll { $0.peer == peer && $0.request == request }
        }
        guard peers[peer].repeatingQueries.contains(where: { $0.request == request }) else {
            return
        }
        peers[peer].repeatingQueries.removeAll { $0.request == request }
        if peers[peer].repeatingQueries.isEmpty {
            watchers.removeAll { $0 == peer }
        }
    }

    /// A query that is refused now, for there is no such node, may be answered later.
    private mutating func repeatAnswers(to query: Query, by peer: PeerID) throws(WireError) {
        let count = peers[peer].repeatingQueries.count + monitors.count { $0.peer == peer }
        try checkRepeating(count)
        peers[peer].repeatingQueries.append(query)
        if watchers.isEmpty {
            answeredVersion = hierarchy.version + environmentVersion
        }
        if !watchers.contains(peer) {
            watchers.append(peer)
        }
    }

    /// Throws if one more would be one too many.
    func checkRepeating(_ count: Int) throws(WireError) {
        let limit = configuration.limits.repeatingQueries
        guard count < limit else {
            throw WireError(
                .limitReached, "more than \(limit) repeating queries (limit repeatingQueries)")
        }
    }

    mutating func scheduleAnswers() {
        guard !watchers.isEmpty, answeredVersion != hierarchy.version + environmentVersion,
            answersHandle == DeadlineQueue.none
        else {
            return
        }
        answersHandle = deadlines.insert(
            now.advanced(byMilliseconds: Self.answerIntervalMilliseconds), .answers)
    }

    mutating func answerRepeatingQueries() {
        answersHandle = DeadlineQueue.none
        answeredVersion = hierarchy.version + environmentVersion
        for peer in watchers {
            for query in peers[peer].repeatingQueries {
                do throws(WireError) {
                    try answer(query, to: peer)
                } catch {
                    send(
                        Refused(
                            request: query.request, code: error.code,
                            sentence: error.description), to: peer)
                }
            }
        }
    }

    private mutating func answer(_ query: Query, to peer: PeerID) throws(WireError) {
        try checkVisible(query.subject, to: peer)
        switch query.subject {
        case .tree(let path, let depth):
            guard let node = hierarchy.find(path) else {
                throw WireError(.noSuchNode, "there is no node at '\(path)'")
            }
            let nodes = hierarchy.subtree(of: node, depth: depth)
                .filter { isVisible($0, to: peer) }.map { snapshot(of: $0) }
            send(TreeAnswer(request: query.request, nodes: nodes), to: peer)
        case .bus:
            send(busAnswer(query.request), to: peer)
        case .subscribers(let name, let path):
            guard let publisher = hierarchy.find(path) else {
                throw WireError(.noSuchNode, "there is no node at '\(path)'")
            }
            send(subscribersAnswer(query.request, name, publisher, for: peer), to: peer)
        case .trace(let id): try send(traceDocument(id), in: query, to: peer)
        case .route(let route): try send(routeDocument(route), in: query, to: peer)
        case .undelivered: try send(undeliveredDocument, in: query, to: peer)
        case .environment, .explanation, .environmentTree, .preferences, .rules,
            .rulesDifference:
            try send(environmentDocument(query.subject), in: query, to: peer)
        case .check:
            let document = JSONValue.document("check", ["findings": .array(findings)])
            try send(document, in: query, to: peer)
        case .policy: try send(policyDocument, in: query, to: peer)
        case .policyTest(let test):
            send(
                DocumentAnswer(
                    request: query.request, document: try policyDocument(test, by: peer).text),
                to: peer)
        case .metrics:
            try send(.document("metrics", ["text": .string(metrics)]), in: query, to: peer)
        case .monitor:
            throw WireError(.unknownQuery, "this daemon does not answer that yet")
        }
    }

    private mutating func send(
        _ document: JSONValue, in query: Query, to peer: PeerID
    ) throws(WireError) {
        let document = try visible(document, to: peer)
        send(DocumentAnswer(request: query.request, document: document.text), to: peer)
    }

    private func snapshot(of node: UInt32) -> NodeSnapshot {
        let record = hierarchy[node]
        var snapshot = NodeSnapshot(
            path: hierarchy.path(of: node), state: state(of: node),
            isActive: hierarchy.isActive(node) && record.holder != nil,
            ageMicroseconds: now.microseconds(since: record.since),
            childCount: record.childCount)
        snapshot.since = wallClock.time(record.since)
        if node == Hierarchy.root {
            snapshot.isActive = true
            snapshot.ageMicroseconds = now.microseconds(since: startedAt)
            snapshot.since = wallClock.time(startedAt)
            snapshot.holder = NodeSnapshot.Holder(
                session: SessionID(high: 0, low: 0), processID: configuration.processID,
                userID: 0, groupID: 0, unit: "", program: configuration.release)
        }
        if let holder = record.holder {
            snapshot.holder = self.holder(holder)
        }
        snapshot.responders = record.responders.map { responder in
            ResponderDeclaration(
                responder.kind, names.name(responder.name),
                when: record.predicate(of: responder)?.description)
        }
        snapshot.isPresented = record.isPresented
        snapshot.triggers = declaredNames(.triggers, at: node)
        snapshot.reports = declaredNames(.reports, at: node)
        snapshot.subscriptions = record.subscriptions.compactMap { names.name($0) }
        snapshot.counters = [
            NamedNumber("queue", UInt64(record.unansweredCount + record.waitingCount)),
            NamedNumber("visits", record.answeredCount),
            NamedNumber("errors", record.failedCount),
            NamedNumber("latency", record.latencyNanoseconds / 1_000),
            NamedNumber("measured", record.measuredCount),
        ]
        return snapshot
    }

    private func holder(_ peer: PeerID) -> NodeSnapshot.Holder {
        let record = peers[peer]
        return NodeSnapshot.Holder(
            session: sessions[record.session], processID: record.credentials.processID,
            userID: record.credentials.userID, groupID: record.credentials.groupID,
            unit: record.credentials.unit, program: record.program,
            groups: record.credentials.groups, key: record.credentials.key)
    }

    func state(of node: UInt32) -> NodeState {
        guard node != Hierarchy.root else {
            return .live
        }
        guard let holder = hierarchy[node].holder else {
            return .vacant
        }
        if hierarchy[node].isLeaving {
            return .leaving
        }
        if !peers[holder].isResponsive {
            return .unresponsive
        }
        return hierarchy.isActive(node) ? .live : .inactive
    }

    /// How many nodes there are in each state; the root is none.
    var nodeCounts: [NodeState: UInt64] {
        var counts: [NodeState: UInt64] = [:]
        for node in hierarchy.subtree(of: Hierarchy.root, depth: .max) where node != Hierarchy.root
        {
            counts[state(of: node), default: 0] += 1
        }
        return counts
    }

    private func busAnswer(_ request: UInt64) -> BusAnswer {
        var counters = counters.named
        let nodeCounts = nodeCounts
        for state in NodeState.allCases {
            counters.append(NamedNumber("nodes.\(state.name)", nodeCounts[state] ?? 0))
        }
        counters.append(NamedNumber("sessions", UInt64(peers.greeted.count)))
        let unwatched = peers.greeted.count { !peers[$0].isWatched }
        counters.append(NamedNumber("sessionsUnwatched", UInt64(unwatched)))
        counters.append(NamedNumber("eventsUnderWay", UInt64(propagations.count)))
        counters.append(NamedNumber("publicationsUnderWay", UInt64(publications.count)))
        counters.append(NamedNumber("durableUnderWay", UInt64(durability.underWayCount)))
        counters.append(NamedNumber("durableByteCount", UInt64(durability.byteCount)))
        counters.append(NamedNumber("durableOutcomesKept", UInt64(durability.settled.count)))
        counters.append(NamedNumber("names", UInt64(names.count)))
        var answer = BusAnswer(
            request: request, bus: configuration.bus, release: configuration.release,
            processID: configuration.processID,
            ageMicroseconds: now.microseconds(since: startedAt), counters: counters,
            limits: configuration.limits.named, uses: uses)
        answer.since = wallClock.time(startedAt)
        return answer
    }

    private mutating func subscribersAnswer(
        _ request: UInt64, _ name: EventName, _ publisher: UInt32, for peer: PeerID
    ) -> SubscribersAnswer {
        var answer = SubscribersAnswer(request: request)
        guard let number = names.existingNumber(of: name) else {
            return answer
        }
        for destination in PublishingDestination.allCases {
            let recipients = chooser.recipients(
                of: number, from: publisher, to: destination, among: subscribers, in: hierarchy)
            answer[destination] = recipients.filter { isVisible($0, to: peer) }
                .map { hierarchy.path(of: $0) }
        }
        return answer
    }
}
