// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeTestSupport
import CascadeWire
import FoundationEssentials
import Testing

// Random trees, cut into two or three buses that bridges join: every message has to end as on one bus with the
// whole tree, with the same visits on its way. CASCADE_CASES sets the number of trees.
@Suite struct OracleTests {
    private static let messagesOfOneTree = 12
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

    /// The first difference between the cut tree and the whole one, if there is one.
    private static func difference(seed: UInt64, _ bug: PlantedBridgeBug?) -> String? {
        let tree = OracleTree(seed: seed)
        guard tree.sites.count > 1, !tree.nodes.isEmpty else {
            return nil
        }
        let cut = OracleWorld(tree, isCut: true, bug: bug)
        let whole = OracleWorld(tree, isCut: false)
        var generator = SeededGenerator(seed: seed &+ 1)
        for _ in 0..<messagesOfOneTree {
            let index = generator.below(tree.nodes.count)
            let lane = generator.pick([Lane.event, .event, .error, .request, .cascade])
            let raising = OracleTree.raising(&generator)
            var flags: HeaderFlags = generator.isLucky(50) ? .includingSelf : []
            if generator.isLucky(70) {
                flags.insert(.wantsTrail)
            }
            let actual = cut.raise(raising, lane, at: index, flags)
            let expected = whole.raise(raising, lane, at: index, flags)
            guard actual == expected, cut.faults.isEmpty, whole.faults.isEmpty else {
                return "\(lane) \(raising.name) of \(tree.nodes[index].path), flags \(flags):\n"
                    + "sites: \(tree.sites.map { "\($0.name) \($0.mount)" })\n"
                    + "nodes: \(tree.nodes.map { "\($0.path) \($0.responders.map { "\($0.kind):\($0.name?.description ?? "*")" })" })\n"
                    + "expected \(expected)\n     got \(actual)\n\(cut.faults) \(whole.faults)"
            }
        }
        return nil
    }
}
