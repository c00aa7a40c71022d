// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeBroker

// The machine alone, with a tree that has only its root.
@Suite struct EnvironmentMachineTests {
    private var environment = Environment(keysMax: 100)
    private var accounts = AccountTable()
    private let limits = Limits()
    private let now = Instant(nanoseconds: 0)
    private let author = Provenance(processID: 7, userID: 1000)

    @Test mutating func `a watcher is told once per transaction, of changed values only`() throws {
        let key = EventName("colour")
        var assignments = Assignments()
        assignments.watchedKeys = [key]
        try assign(assignments)
        #expect(settle().isEmpty)
        let other = EventName("size")
        let file = RuleModelFile(file: "test.rules", text: "colour <= 1\nsize <= 2")
        #expect(try environment.load([file], at: now, limits) == 2)
        #expect(settle() == [EnvironmentChange(key, old: nil, new: "1")])
        #expect(!environment.hasPendingChanges)
        #expect(environment.number(of: other) != nil)
        _ = try environment.load([file], at: now, limits)
        #expect(environment.hasPendingChanges)
        #expect(settle().isEmpty)
    }

    @Test mutating func `rule files with an error change no rule, version or pending change`()
        throws
    {
        let good = RuleModelFile(file: "good.rules", text: "colour <= 1")
        _ = try environment.load([good], at: now, limits)
        _ = settle()
        let version = environment.version
        let bad = RuleModelFile(file: "bad.rules", text: "colour <=")
        #expect(throws: WireError.self) {
            _ = try environment.load([good, bad], at: now, limits)
        }
        #expect(environment.ruleFiles == [good])
        #expect(environment.version == version)
        #expect(environment.model(at: Hierarchy.root)?.rules.count == 1)
        #expect(!environment.hasPendingChanges)
    }

    @Test mutating func `a cycle of rules is reported once until the rules change`() throws {
        var assignments = Assignments()
        assignments.watchedKeys = [EventName("a")]
        try assign(assignments)
        let file = RuleModelFile(file: "test.rules", text: "a <= b\nb <= a")
        _ = try environment.load([file], at: now, limits)
        #expect(cyclesSettled().count == 1)
        environment.invalidate(Hierarchy.root)
        #expect(cyclesSettled().isEmpty)
        #expect(environment.cycles.count == 1)
        _ = try environment.load([file], at: now, limits)
        #expect(environment.cycles.isEmpty)
        #expect(cyclesSettled().count == 1)
    }

    private var facts: ResolverContext {
        ResolverContext(bus: "test", host: "test")
    }

    private mutating func assign(_ assignments: Assignments) throws {
        let prepared = try environment.prepare(
            assignments, of: .root, by: author, at: now, limits)
        _ = environment.assign(
            prepared, at: Hierarchy.root, isWhole: true,
            by: Environment.Assigner(author: author, account: AccountTable.own, now: now),
            in: Hierarchy(), &accounts)
    }

    /// The changes that the root is told.
    private mutating func settle() -> [EnvironmentChange] {
        environment.settle(facts, in: Hierarchy(), PeerTable()).changes.flatMap {
            $0.node == Hierarchy.root ? $0.changes : []
        }
    }

    /// The cycles that were found for the first time.
    private mutating func cyclesSettled() -> [RuleCycle] {
        environment.settle(facts, in: Hierarchy(), PeerTable()).cycles
    }
}
