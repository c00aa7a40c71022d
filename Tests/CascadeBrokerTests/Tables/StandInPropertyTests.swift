// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire
import Testing

@testable import CascadeBroker

// A tree is cut in two at a node. The part below is known to the part above by stand-ins alone, and repeats
// the choice of a delivery from its root.
@Suite struct StandInPropertyTests {
    @Test(arguments: 0..<12)
    func `a tree that is cut in two chooses the same recipients as the whole`(seed: UInt64) throws {
        var whole = RandomHierarchy(seed: seed)
        for _ in 0..<60 {
            try whole.changeSomething()
        }
        for mount in whole.nodes where mount != Hierarchy.root {
            let path = whole.hierarchy.path(of: mount)
            whole.hold(path, [], isActive: true, like: nil)
            let cut = try CutTree(whole, at: path)
            for number in 1...RandomHierarchy.names {
                let name = NameIndex(number)
                for place in cut.above.nodes {
                    for destination in PublishingDestination.allCases {
                        let publisher = cut.above.hierarchy.path(of: place)
                        let found = cut.recipients(of: name, from: publisher, to: destination)
                        let expected = whole.recipients(of: name, from: publisher, to: destination)
                        #expect(
                            found == expected,
                            "seed \(seed), \(name) from \(publisher) to \(destination), cut at \(path)"
                        )
                    }
                }
            }
        }
    }
}

/// The two parts of a tree that has been cut at a mount.
private struct CutTree: ~Copyable {
    var above = RandomHierarchy(seed: 0)
    private var below = RandomHierarchy(seed: 0)
    private let mount: NodePath

    init(_ whole: borrowing RandomHierarchy, at mount: NodePath) throws {
        self.mount = mount
        for node in whole.nodes where node != Hierarchy.root {
            let path = whole.hierarchy.path(of: node)
            if path != mount, mount.contains(path) {
                let lower = "/" + path.components.dropFirst(mount.depth).joined(separator: "/")
                below.copy(node, of: whole, to: try NodePath(lower))
            } else {
                above.copy(node, of: whole, to: path)
            }
        }
        standIn()
    }

    /// The mount subscribes to what is subscribed to below.
    private mutating func standIn() {
        let found = below.subscribers.greatestLevels(below: Hierarchy.root, in: below.hierarchy)
        above.hold(mount, found.map(\.name), isActive: true, like: nil)
        guard let node = above.hierarchy.find(mount) else {
            return
        }
        for (name, level, rank) in found {
            let standIn = StandIn(
                EventName(unchecked: "n\(name.number)"), levels: UInt32(level), turn: rank)
            above.subscribers.standIns.declare(standIn, name, of: node, former: nil, rank: rank)
        }
    }

    /// The recipients above, with those below in place of the mount.
    func recipients(
        of name: NameIndex, from publisher: NodePath, to destination: PublishingDestination
    ) -> Set<String> {
        var found = above.recipients(of: name, from: publisher, to: destination)
        if found.remove(mount.description) != nil {
            for path in below.recipients(of: name, from: .root, to: destination) {
                found.insert(mount.description + path)
            }
        }
        return found
    }
}

extension RandomHierarchy {
    /// The paths of the recipients, chosen anew.
    fileprivate func recipients(
        of name: NameIndex, from publisher: NodePath, to destination: PublishingDestination
    ) -> Set<String> {
        guard let place = hierarchy.find(publisher) else {
            return []
        }
        let nodes = subscribers.recipients(
            of: name, from: place, to: destination, without: [], in: hierarchy)
        return Set(nodes.map { hierarchy.path(of: $0).description })
    }

    /// A place as it is in another tree.
    fileprivate mutating func copy(
        _ node: NodeIndex, of other: borrowing RandomHierarchy, to path: NodePath
    ) {
        let record = other.hierarchy[node]
        guard record.holder != nil else {
            _ = hierarchy.findOrMake(path, at: Instant(nanoseconds: 1))
            return
        }
        hold(path, record.subscriptions, isActive: record.isActive, like: record)
    }

    /// A node that subscribes to these names, in place of the one before.
    fileprivate mutating func hold(
        _ path: NodePath, _ names: [NameIndex], isActive: Bool, like record: NodeRecord?
    ) {
        let node = hierarchy.findOrMake(path, at: Instant(nanoseconds: 1))
        for name in hierarchy[node].subscriptions {
            subscribers.remove(node, name)
        }
        hierarchy.vacate(node, at: Instant(nanoseconds: 1))
        hierarchy[node].hold(
            by: PeerID(index: 1, generation: 1), of: AccountTable.own, at: Instant(nanoseconds: 1))
        hierarchy[node].declare(
            NodeDeclaration(path: path, isActive: isActive), responders: [], predicates: [],
            subscriptions: names)
        if let record {
            hierarchy[node].rank(record.rank)
            if record.isLeaving {
                hierarchy[node].beginLeaving()
            }
        }
        for name in names {
            subscribers.insert(node, name)
        }
        hierarchy.advanceVersion()
    }
}
