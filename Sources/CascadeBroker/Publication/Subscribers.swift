// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The nodes that subscribe to each name, whatever their state, and which of them get a publication.
struct Subscribers: Sendable {
    private var nodes: [Set<NodeIndex>] = []
    /// Those that stand for subscribers of buses below.
    var standIns = StandInTable()
    private var chooser = RecipientChooser()

    /// The subscribers of a name.
    subscript(name: NameIndex) -> Set<NodeIndex> {
        name.slot < nodes.count ? nodes[name.slot] : []
    }

    mutating func insert(_ node: NodeIndex, _ name: NameIndex) {
        while nodes.count <= name.slot {
            nodes.append([])
        }
        nodes[name.slot].insert(node)
    }

    mutating func remove(_ node: NodeIndex, _ name: NameIndex) {
        nodes[name.slot].remove(node)
    }

    /// The number of subscriptions of all nodes, and of names.
    var count: Int {
        nodes.reduce(nodes.count) { $0 + $1.count }
    }

    /// For each name with active subscribers at and below a place, their greatest level, and the rank of the
    /// last activation at that level.
    func greatestLevels(
        below place: NodeIndex, in hierarchy: borrowing Hierarchy
    ) -> [(name: NameIndex, level: Int, rank: UInt64)] {
        var found: [(name: NameIndex, level: Int, rank: UInt64)] = []
        for (slot, subscribers) in nodes.enumerated() where !subscribers.isEmpty {
            if let (level, rank) = RecipientChooser.greatestLevel(
                below: place, among: subscribers, standIns[NameIndex(UInt32(slot))], in: hierarchy)
            {
                found.append((NameIndex(UInt32(slot)), level, rank))
            }
        }
        return found
    }

    /// The recipients of a publication of `name` from `publisher`, in the order of their
    /// activation.
    mutating func recipients(
        of name: NameIndex, from publisher: NodeIndex, to destination: PublishingDestination,
        in hierarchy: borrowing Hierarchy
    ) -> [NodeIndex] {
        if let known = chooser.known(name, publisher, destination, hierarchy.version) {
            return known
        }
        return chooser.choose(
            name, publisher, destination, among: self[name], standIns[name], in: hierarchy)
    }

    /// The recipients of a publication among all subscribers but these, which are not below one another.
    func recipients(
        of name: NameIndex, from publisher: NodeIndex, to destination: PublishingDestination,
        without excluded: [NodeIndex], in hierarchy: borrowing Hierarchy
    ) -> [NodeIndex] {
        RecipientChooser.choose(
            destination,
            among: RecipientChooser.candidates(publisher, self[name], standIns[name], hierarchy)
                .filter { !excluded.contains($0.node) })
    }

    /// Whether several of these nodes, all those of one session, subscribe to the name.
    mutating func hasSeveral(
        of name: NameIndex, among nodes: [NodeIndex], of holder: PeerID,
        in hierarchy: borrowing Hierarchy
    ) -> Bool {
        chooser.hasSeveral(of: name, among: nodes, of: holder, in: hierarchy)
    }
}

/// Decides which nodes get a publication; remembers the answer until the tree changes.
struct RecipientChooser: Sendable {
    private struct CacheKey: VersionedCacheKey {
        var publisher: NodeIndex
        var name: NameIndex
        var destination: PublishingDestination

        var number: UInt64 {
            UInt64(publisher.number) << 32 | UInt64(name.number) << 3
                | UInt64(destination.rawValue)
        }
    }

    private var choices = VersionedCache<CacheKey, [NodeIndex]>(sizeBits: 8)
    private var counts = SubscriberCounts()

    /// The recipients of a publication of `name` from `publisher`, if they have been chosen since
    /// the tree changed last.
    func known(
        _ name: NameIndex, _ publisher: NodeIndex, _ destination: PublishingDestination,
        _ version: UInt64
    ) -> [NodeIndex]? {
        choices.value(
            for: CacheKey(publisher: publisher, name: name, destination: destination),
            version: version)
    }

    /// Chooses among the subscribers of the name, in the order of their activation.
    mutating func choose(
        _ name: NameIndex, _ publisher: NodeIndex, _ destination: PublishingDestination,
        among subscribers: Set<NodeIndex>, _ standIns: [NodeIndex: StandInTable.Entry],
        in hierarchy: borrowing Hierarchy
    ) -> [NodeIndex] {
        let recipients = Self.choose(
            destination, among: Self.candidates(publisher, subscribers, standIns, hierarchy))
        choices.insert(
            recipients,
            for: CacheKey(publisher: publisher, name: name, destination: destination),
            version: hierarchy.version)
        return recipients
    }

    /// Whether several of these nodes, all those of one session, subscribe to the name.
    mutating func hasSeveral(
        of name: NameIndex, among nodes: [NodeIndex], of holder: PeerID,
        in hierarchy: borrowing Hierarchy
    ) -> Bool {
        counts.hasSeveral(of: name, among: nodes, of: holder, in: hierarchy)
    }

    /// The greatest level of the active subscribers at and below a place, and the rank of the last activation
    /// at that level; `nil` if there is none.
    static func greatestLevel(
        below place: NodeIndex, among subscribers: Set<NodeIndex>,
        _ standIns: [NodeIndex: StandInTable.Entry], in hierarchy: borrowing Hierarchy
    ) -> (level: Int, rank: UInt64)? {
        let candidates = candidates(place, subscribers, standIns, hierarchy)
        let greatest = candidates.map(\.greatestLevel).max()
        return candidates.last { $0.greatestLevel == greatest }.map { ($0.greatestLevel, $0.rank) }
    }

    fileprivate struct Candidate {
        var node: NodeIndex
        var level: Int
        /// The greatest level of a subscriber that it stands for; its own if it stands for itself.
        var greatestLevel: Int
        var rank: UInt64
    }

    /// The active subscribers at and below the publisher, in the order of their activation.
    fileprivate static func candidates(
        _ publisher: NodeIndex, _ subscribers: Set<NodeIndex>,
        _ standIns: [NodeIndex: StandInTable.Entry], _ hierarchy: borrowing Hierarchy
    ) -> [Candidate] {
        var candidates: [Candidate] = []
        var levels = Levels(of: subscribers, below: publisher)
        for node in subscribers where hierarchy[node].isAvailable {
            if let level = levels.level(of: node, in: hierarchy) {
                let standIn = standIns.isEmpty ? nil : standIns[node]
                candidates.append(
                    Candidate(
                        node: node, level: level,
                        greatestLevel: level + Int(standIn?.levels ?? 0),
                        rank: standIn?.rank ?? hierarchy[node].rank))
            }
        }
        guard Set(candidates.map(\.rank)).count < candidates.count else {
            return candidates.sorted { $0.rank < $1.rank }
        }
        // Only ranks that peers have made up are equal. The order is to be the same each time.
        return candidates.map { ($0, hierarchy.path(of: $0.node).description) }
            .sorted { ($0.0.rank, $0.1) < ($1.0.rank, $1.1) }.map(\.0)
    }

    fileprivate static func choose(
        _ destination: PublishingDestination, among candidates: [Candidate]
    ) -> [NodeIndex] {
        let greatest = candidates.map(\.greatestLevel).max()
        switch destination {
        case .all:
            return candidates.map(\.node)
        case .firstLevel:
            return candidates.filter { $0.level == 0 }.map(\.node)
        case .lastLevel:
            return candidates.filter { $0.greatestLevel == greatest }.map(\.node)
        case .last:
            return candidates.last { $0.greatestLevel == greatest }.map { [$0.node] } ?? []
        }
    }
}

/// The sessions with several subscribers of a name: a delivery to such a session names the
/// subscriber. Counted once for each session until the tree changes or another name is published.
private struct SubscriberCounts {
    private var version: UInt64 = 0
    private var name = NameIndex.none
    private var hasSeveral: [PeerID: Bool] = [:]

    mutating func hasSeveral(
        of name: NameIndex, among nodes: [NodeIndex], of holder: PeerID,
        in hierarchy: borrowing Hierarchy
    ) -> Bool {
        if version != hierarchy.version || self.name != name {
            version = hierarchy.version
            self.name = name
            hasSeveral.removeAll(keepingCapacity: true)
        }
        if let known = hasSeveral[holder] {
            return known
        }
        var count = 0
        for node in nodes where hierarchy[node].subscriptions.contains(name) {
            count += 1
            if count > 1 {
                break
            }
        }
        hasSeveral[holder] = count > 1
        return count > 1
    }
}

/// The levels of the subscribers of one name below a publisher. Places that several of them are
/// below are looked at once, however deep the tree is.
private struct Levels {
    /// The way from a place up to the root.
    private struct Way {
        var isActive = true
        /// Whether the publisher is on it.
        var hasPublisher = false
        /// The subscribers up to the publisher, both included.
        var subscriberCount = 0
    }

    private let subscribers: Set<NodeIndex>
    private let publisher: NodeIndex
    private var ways: [NodeIndex: Way] = [:]

    init(of subscribers: Set<NodeIndex>, below publisher: NodeIndex) {
        self.subscribers = subscribers
        self.publisher = publisher
    }

    /// Returns the number of subscribers between `node` and the publisher, whose own subscription
    /// counts; `nil` if `node` is not below it, or is not active up to the root.
    mutating func level(of node: NodeIndex, in hierarchy: borrowing Hierarchy) -> Int? {
        let way = way(from: node, in: hierarchy)
        guard way.isActive, way.hasPublisher else {
            return nil
        }
        return way.subscriberCount - 1
    }

    private mutating func way(from place: NodeIndex, in hierarchy: borrowing Hierarchy) -> Way {
        var passed: [NodeIndex] = []
        var current = place
        while ways[current] == nil {
            passed.append(current)
            guard current != Hierarchy.root else {
                break
            }
            current = hierarchy.parent(of: current)
        }
        var way = ways[current] ?? Way()
        while let next = passed.popLast() {
            way.isActive = way.isActive && hierarchy.isActiveItself(next)
            way.hasPublisher = way.hasPublisher || next == publisher
            if way.hasPublisher, hierarchy[next].isAvailable, subscribers.contains(next) {
                way.subscriberCount += 1
            }
            ways[next] = way
        }
        return way
    }
}

extension Hierarchy {
    /// Whether the place itself does not deactivate its descendants; a vacant place and the root never
    /// do.
    func isActiveItself(_ node: NodeIndex) -> Bool {
        self[node].isActive || self[node].holder == nil || node == Self.root
    }

    /// Whether the place and all its ancestors are active.
    func isActive(_ node: NodeIndex) -> Bool {
        var current = node
        while current != Self.root {
            guard isActiveItself(current) else {
                return false
            }
            current = parent(of: current)
        }
        return true
    }
}
