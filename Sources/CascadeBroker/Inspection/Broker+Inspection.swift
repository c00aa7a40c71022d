// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeJSON
import CascadeWire

/// Inspection: the contents of the tree, sent once or again on each change. Inspection changes
/// nothing.
extension Broker {
    mutating func query(_ query: Query, by peer: PeerID) throws(WireError) {
        endRepeatingQuery(query.request, of: peer)
        var repetition: UInt64?
        if case .monitor = query.subject {
        } else if query.isRepeating {
            repetition = try repeatAnswers(to: query, by: peer)
        }
        let inquiry = Inquiry(
            query, by: peer, account: peers[peer].account, repetition: repetition)
        do throws(WireError) {
            try begin(inquiry)
        } catch {
            // It may be answered later.
            repeated(inquiry, byteCount: 0)
            throw error
        }
    }

    /// Answers in one piece. Returns `nil` for a query that is answered in pieces and has been
    /// started.
    mutating func answer(
        _ inquiry: Inquiry, for viewer: inout Viewer
    ) throws(WireError) -> Inquiry.Progress? {
        let query = inquiry.query
        let peer = inquiry.peer
        try checkVisible(query.subject, to: peer)
        switch query.subject {
        case .tree(let path, let depth):
            return Inquiry.Progress(.nodes(try places(at: path, depth: depth, &viewer)))
        case .treeChanges(let path, let depth):
            return try changes(at: path, depth: depth, for: inquiry, &viewer)
        case .activity(let path, _): return try activity(at: path, for: inquiry)
        case .bus:
            try viewer.spend(hierarchy.count / 4)
            send(busAnswer(query.request), to: peer)
        case .subscribers(let name, let path):
            send(try subscribersAnswer(query.request, name, path, for: &viewer), to: peer)
        case .trace(let id): send(try traceDocument(id, for: &viewer), in: query, to: peer)
        case .route(let route): send(try routeDocument(route, for: &viewer), in: query, to: peer)
        case .underWay: send(try underWayDocument(for: &viewer), in: query, to: peer)
        case .undelivered:
            // The payloads are only taken in here; each is charged once more when it is written. As
            // many as are shown must fit into the steps of one turn.
            try viewer.spend(
                traffic.undelivered.events.count + traffic.events.parking.held.count
                    + shownHeldByteCount / 256)
            return Inquiry.Progress(
                .undelivered(undeliveredEntries()), .document("undelivered", [:]),
                list: "undelivered")
        case .undeliveredEvent(let id):
            try viewer.spend(traffic.undelivered.count + traffic.events.parking.held.count)
            return Inquiry.Progress(
                .undelivered(undeliveredEntry(id).map { [$0] } ?? []),
                .document("undelivered", [:]), list: "undelivered")
        case .environment, .explanation, .environmentTree, .preferences, .rules,
            .rulesDifference:
            return try answerAboutEnvironment(query, to: peer, for: &viewer)
        case .check:
            let places = try places(at: .root, depth: .max, &viewer)
            return Inquiry.Progress(
                .checked(places), .document("check", [:]), list: "findings")
        case .policy: send(try policyDocument(for: &viewer), in: query, to: peer)
        case .policyTest(let test):
            send(try policyDocument(test, by: peer, &viewer), in: query, to: peer)
        case .metrics:
            let text = try metrics(for: &viewer)
            send(.document("metrics", ["text": .string(text)]), in: query, to: peer)
        case .summary(let path):
            send(try summaryDocument(path, by: peer, for: &viewer), in: query, to: peer)
        case .sites:
            throw WireError(
                .unknownQuery, "a daemon knows no sites; ask a site by 'cascade.Inspect'")
        case .monitor(let filter):
            guard !query.isRepeating else {
                try monitor(filter, query.request, by: peer, &viewer)
                return nil
            }
            return Inquiry.Progress(
                .happenings(try past(filter, &viewer)), .document("happenings", [:]),
                list: "happenings")
        }
        return nil
    }

    private mutating func answerAboutEnvironment(
        _ query: Query, to peer: PeerID, for viewer: inout Viewer
    ) throws(WireError) -> Inquiry.Progress? {
        switch query.subject {
        case .environment(let path, let key?):
            send(try valueDocument(key, path, for: &viewer), in: query, to: peer)
        case .environment(let path, nil):
            let keys = try readableKeys(at: path)
            try viewer.spend(keys.count)
            if let node = hierarchy.find(path) {
                environment.bindKept(to: [node], in: hierarchy)
            }
            return Inquiry.Progress(.keys(keys), .document("env", [:]), list: "values")
        case .explanation(let key, let path):
            send(try explanationDocument(key, path, for: &viewer), in: query, to: peer)
        case .environmentTree(let key, let path):
            let places = try places(at: path, depth: .max, &viewer)
            environment.bindKept(to: places, in: hierarchy)
            return Inquiry.Progress(
                .nodes(places), .document("envTree", ["key": .text(key)]), list: "values")
        case .preferences(let path):
            send(try preferencesDocument(path, for: &viewer), in: query, to: peer)
        case .rulesDifference(let file, let text):
            let difference = try RulesDifference(
                self, RuleModelFile(file: file, text: text), of: peers[peer].account, for: &viewer)
            let places = try places(at: .root, depth: .max, &viewer)
                .filter { hierarchy[$0].holder != nil || $0 == Hierarchy.root }
            environment.bindKept(to: places, in: hierarchy)
            var progress = Inquiry.Progress(
                .nodes(places), .document("rulesDiff", ["file": .string(file)]), list: "changes")
            progress.difference = difference
            return progress
        default:
            send(try rulesDocument(for: &viewer), in: query, to: peer)
        }
        return nil
    }

    func places(
        at path: NodePath, depth: UInt32, _ viewer: inout Viewer
    ) throws(WireError) -> [NodeIndex] {
        guard let node = hierarchy.find(path) else {
            throw WireError(.noSuchNode, "there is no node at '\(path)'")
        }
        let nodes = hierarchy.subtree(of: node, depth: depth)
        try viewer.spend(nodes.count / 8)
        return nodes
    }

    private mutating func send(_ document: JSONValue, in query: Query, to peer: PeerID) {
        send(DocumentAnswer(request: query.request, document: document.text), to: peer)
    }

    /// Returns the parts of a node that a viewer may see; `nil` if the node is hidden.
    ///
    /// - Parameter childCount: The number of the children that the viewer sees.
    func snapshot(
        of node: NodeIndex, childCount: UInt32, for viewer: inout Viewer
    ) -> NodeSnapshot? {
        let path = hierarchy.path(of: node)
        guard viewer.sees(path) else {
            return nil
        }
        return snapshot(of: node, at: path, childCount: childCount)
    }

    /// When the daemon began.
    var startedAt: Instant {
        hierarchy.startedAt
    }

    private func snapshot(
        of node: NodeIndex, at path: NodePath, childCount: UInt32
    ) -> NodeSnapshot {
        let record = hierarchy[node]
        let isBus = node == Hierarchy.root && record.holder == nil
        let since = isBus ? startedAt : record.since
        var snapshot = NodeSnapshot(
            path: path, state: state(of: node),
            isActive: hierarchy.isActive(node) && record.holder != nil,
            ageMicroseconds: now.microseconds(since: since),
            childCount: childCount)
        snapshot.since = wallClock.time(since)
        if node == Hierarchy.root {
            snapshot.isActive = true
            snapshot.holder = NodeSnapshot.Holder(
                session: SessionID(high: 0, low: 0), processID: configuration.processID,
                userID: configuration.userID ?? Credentials.unknown,
                groupID: configuration.groupID ?? Credentials.unknown, unit: "",
                program: configuration.release)
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
        snapshot.isMount = record.isMount
        snapshot.triggers = declaredNames(.triggers, at: node)
        snapshot.reports = declaredNames(.reports, at: node)
        snapshot.safety = safety[node]?.level
        snapshot.detachesOrphans = record.detachesOrphans
        snapshot.standIns = standIns(of: node)
        snapshot.subscriptions = record.subscriptions.compactMap { names.name($0) }
            .filter { name in !snapshot.standIns.contains { $0.name == name } }
        snapshot.counters = record.counters.named
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

    func state(of node: NodeIndex) -> NodeState {
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
        var counters = observers.counters.named
        let nodeCounts = nodeCounts
        for state in NodeState.allCases {
            counters.append(NamedNumber("nodes.\(state.name)", nodeCounts[state] ?? 0))
        }
        counters.append(NamedNumber("sessions", UInt64(peers.greeted.count)))
        let unwatched = peers.greeted.count { !peers[$0].isWatched }
        counters.append(NamedNumber("sessionsUnwatched", UInt64(unwatched)))
        counters.append(NamedNumber("eventsUnderWay", UInt64(traffic.events.count)))
        counters.append(NamedNumber("publicationsUnderWay", UInt64(traffic.publications.count)))
        counters.append(
            NamedNumber("durableUnderWay", UInt64(max(0, accounts.used(.durable)))))
        counters.append(
            NamedNumber("durableByteCount", UInt64(max(0, accounts.used(.durableBytes)))))
        counters.append(
            NamedNumber("durableOutcomesKept", UInt64(traffic.durable.settled.count)))
        counters.append(NamedNumber("names", UInt64(names.count)))
        var answer = BusAnswer(
            request: request, bus: configuration.bus, release: configuration.release,
            processID: configuration.processID,
            ageMicroseconds: now.microseconds(since: startedAt),
            counters: counters,
            limits: configuration.limits.named, uses: uses)
        answer.since = wallClock.time(startedAt)
        return answer
    }

    private mutating func subscribersAnswer(
        _ request: UInt64, _ name: EventName, _ path: NodePath, for viewer: inout Viewer
    ) throws(WireError) -> SubscribersAnswer {
        guard let publisher = hierarchy.find(path) else {
            throw WireError(.noSuchNode, "there is no node at '\(path)'")
        }
        var answer = SubscribersAnswer(request: request)
        guard let number = names.existingNumber(of: name) else {
            return answer
        }
        try viewer.spend(4 + traffic.publications.subscribers[number].count * 8)
        for destination in PublishingDestination.allCases {
            let recipients = traffic.publications.subscribers.recipients(
                of: number, from: publisher, to: destination, in: hierarchy)
            try viewer.spend(recipients.count * 2)
            answer[destination] = recipients.map { hierarchy.path(of: $0) }
                .filter { viewer.sees($0) }
        }
        return answer
    }
}
