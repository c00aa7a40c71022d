// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire

@testable import CascadeBroker

/// A tree that changes at random, with an index of its subscribers.
struct RandomHierarchy: ~Copyable {
    static let names: UInt32 = 3

    var generator: SeededGenerator
    var hierarchy = Hierarchy()
    var subscribers = Subscribers()
    private var lastRank: UInt64 = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    var nodes: [NodeIndex] {
        hierarchy.subtree(of: Hierarchy.root, depth: .max)
    }

    mutating func changeSomething() throws {
        switch generator.below(6) {
        case 0, 1, 2: try hold()
        case 3: vacate(generator.pick(nodes))
        case 4: move(generator.pick(nodes), under: generator.pick(nodes))
        default:
            let node = generator.pick(nodes)
            hierarchy[node].activate(!hierarchy[node].isActive)
            if generator.isLucky(20), hierarchy[node].holder != nil {
                hierarchy[node].beginLeaving()
            }
            hierarchy.advanceVersion()
        }
    }

    private mutating func hold() throws {
        let components = (0...generator.below(5)).map { _ in "/p\(generator.below(3))" }
        let path = try NodePath(components.joined())
        let node = hierarchy.findOrMake(path, at: Instant(nanoseconds: 1))
        withdraw(node)
        lastRank += 1
        hierarchy[node].hold(
            by: PeerID(index: UInt32(generator.below(3)), generation: 1), of: AccountTable.own,
            at: Instant(nanoseconds: 1))
        hierarchy[node].rank(lastRank)
        let isActive = generator.isLucky(80)
        let responders = (0..<generator.below(3)).map { _ in
            Responder(
                kind: generator.pick(ResponderKind.allCases),
                name: NameIndex(UInt32(generator.below(Int(Self.names) + 1))))
        }
        let names = (1...Self.names).map { NameIndex($0) }.filter { _ in generator.isLucky(40) }
        hierarchy[node].declare(
            NodeDeclaration(path: path, isActive: isActive), responders: responders,
            predicates: [], subscriptions: names)
        for name in names {
            subscribers.insert(node, name)
        }
        hierarchy.advanceVersion()
    }

    /// Returns whether the move was possible.
    @discardableResult
    mutating func move(_ node: NodeIndex, under parent: NodeIndex) -> Bool {
        guard node != Hierarchy.root, !hierarchy.isAtOrBelow(parent, node),
            hierarchy.child(of: parent, named: hierarchy[node].links.component) == nil
        else {
            return false
        }
        hierarchy.move(node, under: parent)
        return true
    }

    private mutating func withdraw(_ node: NodeIndex) {
        for name in hierarchy[node].subscriptions {
            subscribers.remove(node, name)
        }
        hierarchy.vacate(node, at: Instant(nanoseconds: 1))
    }

    private mutating func vacate(_ node: NodeIndex) {
        guard node != Hierarchy.root else {
            return
        }
        withdraw(node)
        hierarchy.advanceVersion()
        _ = hierarchy.prune(node)
    }
}
