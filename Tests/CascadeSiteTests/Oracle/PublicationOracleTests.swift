// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeTestSupport
import CascadeWire
import FoundationEssentials
import Testing

// Publications in random trees, cut into two or three buses that bridges join: each has to reach the
// subscribers that it reaches in the whole tree on one bus, and to end as there. CASCADE_CASES sets the
// number of trees.
//
// What is known to differ is left out: `last` after a subscriber has gone or has come late, and several
// publishers that retain one name.
@Suite struct PublicationOracleTests {
    private static let stepsOfOneTree = 10
    private static let seedCount =
        ProcessInfo.processInfo.environment["CASCADE_CASES"].flatMap { Int($0) } ?? 300

    @Test(arguments: 0..<2)
    func `publications reach whom they reach on one bus`(half: Int) {
        for seed in stride(from: half, to: Self.seedCount, by: 2) {
            if let difference = Self.difference(seed: UInt64(seed), nil) {
                Issue.record("seed \(seed): \(difference)")
                return
            }
        }
    }

    @Test(arguments: PlantedBridgeBug.ofPublications)
    func `the oracle finds a planted bug`(bug: PlantedBridgeBug) {
        let found = (0..<1_000).first { Self.difference(seed: $0, bug) != nil }
        #expect(found != nil)
    }

    private enum Step {
        case publish(EventName, [UInt8], PublishingDestination, HeaderFlags)
        case subscribe([EventName])
        case activate(Bool)
        /// A node ends its subscription, and another one publishes before the buses can tell of that.
        case publishTooLate(EventName, publisher: Int, [UInt8], PublishingDestination)
    }

    /// The first difference between the cut tree and the whole one, if there is one.
    private static func difference(seed: UInt64, _ bug: PlantedBridgeBug?) -> String? {
        // In every third tree many subscribers are below each other, on both sides of a mount.
        let isLarge = seed % 3 == 0
        let tree = OracleTree(seed: seed, placeCount: isLarge ? 14 : 4) { generator, place, _ in
            OracleTree.Node(
                path: place,
                subscriptions: OracleTree.names.filter { _ in
                    generator.isLucky(isLarge ? 70 : 50)
                })
        }
        guard tree.sites.count > 1, !tree.nodes.isEmpty else {
            return nil
        }
        let cut = OracleWorld(tree, isCut: true, bug: bug)
        let whole = OracleWorld(tree, isCut: false)
        cut.settle()
        var generator = SeededGenerator(seed: seed &+ 1)
        // Either subscribers stay as they are, or nothing is published to `last`.
        let isFixed = generator.isLucky(50)
        for number in 0..<stepsOfOneTree {
            let index = generator.below(tree.nodes.count)
            let step = step(&generator, cut, index, isFixed: isFixed)
            let actual = perform(step, at: index, in: cut)
            let expected = perform(step, at: index, in: whole)
            guard actual == expected, cut.faults.isEmpty, whole.faults.isEmpty else {
                return """
                    step \(number): \(step) at \(tree.nodes[index].path)
                    sites: \(tree.sites.map { "\($0.name) \($0.mount)" })
                    nodes: \(cut.workers.map { "\($0.node.path) \($0.declaration.subscriptions)" })
                    expected \(expected)
                         got \(actual)
                    \(cut.faults) \(whole.faults)
                    """
            }
        }
        return nil
    }

    private static func step(
        _ generator: inout SeededGenerator, _ world: OracleWorld, _ index: Int, isFixed: Bool
    ) -> Step {
        let tree = world.tree
        if !isFixed, generator.isLucky(20), let step = stepTooLate(&generator, world, index) {
            return step
        }
        switch generator.below(10) {
        case 0 where !isFixed, 1 where !isFixed:
            return .subscribe(OracleTree.names.filter { _ in generator.isLucky(50) })
        case 0, 1, 2:
            // A site is not told that a node above its mount is inactive.
            let path = tree.nodes[index].path
            let isAboveMount = tree.sites.contains { $0.parent != nil && path.contains($0.mount) }
            return .activate(isFixed || isAboveMount || generator.isLucky(50))
        default:
            let name = generator.pick(OracleTree.names)
            let destinations = PublishingDestination.allCases.filter { isFixed || $0 != .last }
            // Each name has one publisher that retains.
            let retains = index == name.description.utf8.count % tree.nodes.count
            return .publish(
                name, Array("\(generator.below(9))".utf8), generator.pick(destinations),
                retains && generator.isLucky(70) ? .retained : [])
        }
    }

    /// A step in which the last subscriber of a name on a site and below goes, and a node above publishes
    /// that name.
    private static func stepTooLate(
        _ generator: inout SeededGenerator, _ world: OracleWorld, _ index: Int
    ) -> Step? {
        let mount = world.tree.sites[world.workers[index].site].mount
        let publishers = world.workers.indices.filter { place in
            let path = world.workers[place].node.path
            return path != mount && path.contains(mount)
        }
        guard let publisher = publishers.randomElement(using: &generator) else {
            return nil
        }
        let publishingSite = world.workers[publisher].site
        let name = world.workers[index].declaration.subscriptions.first { name in
            !world.workers.indices.contains { other in
                other != index && world.workers[other].site != publishingSite
                    && world.workers[other].declaration.subscriptions.contains(name)
            }
        }
        return name.map {
            .publishTooLate(
                $0, publisher: publisher, Array("\(generator.below(9))".utf8),
                generator.pick([.all, .firstLevel, .lastLevel]))
        }
    }

    private static func perform(
        _ step: Step, at index: Int, in world: OracleWorld
    ) -> OraclePublication {
        var result: OraclePublication?
        switch step {
        case .publish(let name, let payload, let destination, let flags):
            result = world.publish(
                Raising(name: name, payload: payload), to: destination, at: index, flags)
        case .subscribe(let names):
            world.change(index) { $0.subscriptions = names }
        case .publishTooLate(let name, let publisher, let payload, let destination):
            result = world.change(
                index, { $0.subscriptions.removeAll { $0 == name } },
                thenPublish: Raising(name: name, payload: payload), to: destination, at: publisher)
        case .activate(let isActive):
            let path = world.workers[index].path
            world.ask({ Activate(request: $0, path: path, isActive: isActive) }, of: index)
        }
        world.settle()
        let late = world.takeDeliveries()
        var publication = result ?? OraclePublication(nil, 0, [], world.tree)
        publication.deliveries += late
        return publication
    }
}
