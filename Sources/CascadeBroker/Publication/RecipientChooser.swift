// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Decides who gets a publication; remembers the answer until the tree changes.
struct RecipientChooser {
    private struct Entry {
        var version: UInt64 = 0
        var publisher = NodeIndex.none
        var name = NameIndex.none
        var destination = PublishingDestination.last
        var recipients: [NodeIndex] = []
    }

    private static let entryCount = 256
    private var entries = [Entry](repeating: Entry(), count: entryCount)

    /// The recipients of a publication of `name` from `publisher`, in the order of their
    /// activation.
    mutating func recipients(
        of name: NameIndex, from publisher: NodeIndex, to destination: PublishingDestination,
        among index: borrowing SubscriberIndex, in hierarchy: borrowing Hierarchy
    ) -> [NodeIndex] {
        let place = Self.place(publisher, name, destination)
        let entry = entries[place]
        if entry.version == hierarchy.version, entry.publisher == publisher, entry.name == name,
            entry.destination == destination
        {
            return entry.recipients
        }
        let recipients = Self.choose(
            destination, among: Self.candidates(name, publisher, index, hierarchy))
        entries[place] = Entry(
            version: hierarchy.version, publisher: publisher, name: name,
            destination: destination, recipients: recipients)
        return recipients
    }

    private static func place(
        _ publisher: NodeIndex, _ name: NameIndex, _ destination: PublishingDestination
    ) -> Int {
        let key =
            UInt64(publisher.number) << 32 | UInt64(name.number) << 3 | UInt64(destination.rawValue)
        return Int((key &* 0x9E37_79B9_7F4A_7C15) >> 56)
    }

    private struct Candidate {
        var node: NodeIndex
        var level: Int
        var rank: UInt64
    }

    /// The active subscribers at and below the publisher, in the order of their activation.
    private static func candidates(
        _ name: NameIndex, _ publisher: NodeIndex, _ index: borrowing SubscriberIndex,
        _ hierarchy: borrowing Hierarchy
    ) -> [Candidate] {
        var candidates: [Candidate] = []
        for node in index[name] where hierarchy[node].isAvailable {
            if let level = level(of: node, for: name, below: publisher, in: hierarchy) {
                candidates.append(
                    Candidate(node: node, level: level, rank: hierarchy[node].rank))
            }
        }
        return candidates.sorted { first, second in
            guard first.rank == second.rank else {
                return first.rank < second.rank
            }
            // Only ranks that peers have made up are equal. The order is to be the same each time.
            return hierarchy.path(of: first.node).description
                < hierarchy.path(of: second.node).description
        }
    }

    /// How many subscribers of the same name lie between `node` and the publisher, whose own
    /// subscription counts; `nil` if `node` is not below it, or is not active up to the root.
    private static func level(
        of node: NodeIndex, for name: NameIndex, below publisher: NodeIndex,
        in hierarchy: borrowing Hierarchy
    ) -> Int? {
        var level = 0
        var isBelow = false
        var current = node
        while true {
            guard hierarchy.isActiveItself(current) else {
                return nil
            }
            if current != node, !isBelow, hierarchy[current].isAvailable,
                hierarchy[current].subscriptions.contains(name)
            {
                level += 1
            }
            isBelow = isBelow || current == publisher
            guard current != Hierarchy.root else {
                return isBelow ? level : nil
            }
            current = hierarchy.parent(of: current)
        }
    }

    private static func choose(
        _ destination: PublishingDestination, among candidates: [Candidate]
    ) -> [NodeIndex] {
        let greatest = candidates.map(\.level).max()
        switch destination {
        case .all:
            return candidates.map(\.node)
        case .firstLevel:
            return candidates.filter { $0.level == 0 }.map(\.node)
        case .lastLevel:
            return candidates.filter { $0.level == greatest }.map(\.node)
        case .last:
            return candidates.last { $0.level == greatest }.map { [$0.node] } ?? []
        }
    }
}

extension Hierarchy {
    /// Whether the place itself is no obstacle to the activity of what is below it: a vacant place
    /// is none.
    func isActiveItself(_ node: NodeIndex) -> Bool {
        self[node].isActive || self[node].holder == nil
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
