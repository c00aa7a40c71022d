// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeTestSupport
import CascadeWire
import FoundationEssentials
import Testing

// Random trees, cut into two or three buses that bridges join: every message has to end as on one bus with
// the whole tree, with the same visits on its way. CASCADE_CASES sets the number of trees.
//
// In every second tree messages are held, and responders come and go; such a tree has no transforms, because
// a site holds a message as it was before a transform above. Where responders change, only the ends are
// compared: `/` is tried whenever one to the name has come above, whatever its predicate.
@Suite struct OracleTests {
    private static let stepsOfOneTree = 12
    private static let seedCount =
        ProcessInfo.processInfo.environment["CASCADE_CASES"].flatMap { Int($0) } ?? 1_000

    @Test(arguments: 0..<4)
    func `a tree that is cut into buses behaves as one bus`(quarter: Int) {
        for seed in stride(from: quarter, to: Self.seedCount, by: 4) {
            if let difference = Self.difference(seed: UInt64(seed), nil) {
                Issue.record("seed \(seed): \(difference)")
                return
            }
        }
    }

    @Test(arguments: PlantedBridgeBug.ofMessages)
    func `the oracle finds a planted bug`(bug: PlantedBridgeBug) {
        let found = (0..<1_000).first { Self.difference(seed: $0, bug) != nil }
        #expect(found != nil)
    }

    // MARK: - Steps

    private enum Step {
        case raise(Raising, Lane, HeaderFlags)
        /// Some nodes keep visits back until the deadline has passed.
        case raiseLate(Raising, Lane)
        /// Some nodes keep visits back until the requester no longer waits.
        case cancel(Raising)
        case hold(Raising)
        case change([ResponderDeclaration])
    }

    /// What a step has brought about.
    private struct Result: Equatable {
        var ends: [OracleResult] = []
        var visits: [OracleVisit] = []
        var cancelledCounts: [Int] = []
    }

    private static func step(_ generator: inout SeededGenerator, holds: Bool) -> Step {
        let raising = OracleTree.raising(&generator)
        switch generator.below(100) {
        case ..<25 where holds: return .hold(raising)
        case ..<60 where holds:
            return .change(OracleTree.responders(&generator, transforms: false))
        case ..<10: return .cancel(raising)
        case ..<20:
            return .raiseLate(raising, generator.pick([Lane.event, .error, .request]))
        default:
            let lane = generator.pick([Lane.event, .event, .error, .request, .cascade])
            var flags: HeaderFlags = generator.isLucky(50) ? .includingSelf : []
            if generator.isLucky(70) {
                flags.insert(.wantsTrail)
            }
            return .raise(raising, lane, flags)
        }
    }

    private static func perform(_ step: Step, at index: Int, in world: OracleWorld) -> Result {
        let origin = RaiseOptions.Origin.node(world.workers[index].path)
        switch step {
        case .raise(let raising, let lane, let flags):
            let end = world.raise(raising, lane, at: index, flags)
            return Result(ends: [end])
        case .raiseLate(let raising, let lane):
            world.keepsBack = world.tree.keepsBack
            world.begin(
                raising, RaiseOptions(.upward(lane), from: origin, deadlineMilliseconds: 1_000),
                at: index)
            world.pass(.milliseconds(2_500))
            return end(world)
        case .cancel(let raising):
            world.keepsBack = world.tree.keepsBack
            world.begin(raising, RaiseOptions(.upward(.request), from: origin), at: index)
            world.cancel(at: index)
            return end(world)
        case .hold(let raising):
            var options = RaiseOptions(.up, from: origin)
            options.holdMilliseconds = 20_000
            world.begin(raising, options, at: index)
            return Result(ends: world.takeEnds())
        case .change(let responders):
            world.change(index) { $0.responders = responders }
            world.settle()
            return Result(ends: world.takeEnds())
        }
    }

    /// Ends what is kept back.
    private static func end(_ world: OracleWorld) -> Result {
        let result = Result(
            ends: world.takeEnds(), visits: world.visits,
            cancelledCounts: world.workers.map(\.cancelledCount))
        world.keepsBack = { _, _ in false }
        world.finishKeptBack(.passed)
        return result
    }

    // MARK: - Comparing

    /// The first difference between the cut tree and the whole one, if there is one.
    private static func difference(seed: UInt64, _ bug: PlantedBridgeBug?) -> String? {
        let holds = seed % 2 == 1
        let tree = OracleTree(seed: seed, transforms: !holds)
        guard tree.sites.count > 1, !tree.nodes.isEmpty else {
            return nil
        }
        let cut = OracleWorld(tree, isCut: true, bug: bug)
        let whole = OracleWorld(tree, isCut: false)
        var generator = SeededGenerator(seed: seed &+ 1)
        for number in 0..<stepsOfOneTree {
            let index = generator.below(tree.nodes.count)
            let step = step(&generator, holds: holds)
            let actual = perform(step, at: index, in: cut)
            let expected = perform(step, at: index, in: whole)
            guard actual == expected, cut.faults.isEmpty, whole.faults.isEmpty else {
                return """
                    step \(number): \(step) at \(tree.nodes[index].path)
                    sites: \(tree.sites.map { "\($0.name) \($0.mount)" })
                    nodes: \(cut.workers.map { "\($0.node.path) \($0.declaration.summary)" })
                    expected \(expected)
                         got \(actual)
                    \(cut.faults) \(whole.faults)
                    """
            }
        }
        return nil
    }
}

extension NodeDeclaration {
    fileprivate var summary: [String] {
        responders.map { "\($0.kind):\($0.name?.description ?? "*") \($0.when ?? "")" }
    }
}
