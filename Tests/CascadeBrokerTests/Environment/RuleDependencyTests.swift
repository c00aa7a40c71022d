// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeBroker

// A change evaluates the keys again that may depend on it, and no others.
@Suite struct RuleDependencyTests {
    private var table = EnvironmentTable(keysMax: 100)

    @Test mutating func `the dependents of a key are the keys whose rules read it, at any depth`()
        throws
    {
        try load("a <= b", "c > 1 => b <= 2", "d == 1 || e == 2 => c <= 3", "x <= y", "y <= 1")
        #expect(try dependents(of: "e") == ["a", "b", "c", "e"])
        #expect(try dependents(of: "b") == ["a", "b"])
        #expect(try dependents(of: "y") == ["x", "y"])
        #expect(try dependents(of: "a") == ["a"])
        #expect(try dependents(of: "unheard-of") == ["unheard-of"])
    }

    @Test mutating func `removing a rule model removes its dependencies and no others`() throws {
        try load("a <= b", "x <= b")
        try load(at: .imagined(7), "a <= b", "b == 1 => z <= 1")
        #expect(try dependents(of: "b") == ["a", "b", "x", "z"])
        _ = table.setModel(nil, at: Hierarchy.root)
        #expect(try dependents(of: "b") == ["a", "b", "z"])
        _ = table.setModel(nil, at: .imagined(7))
        #expect(try dependents(of: "b") == ["b"])
    }

    private mutating func load(at place: NodeIndex = Hierarchy.root, _ rules: String...) throws {
        let file = RuleModelFile(file: "test.rules", text: rules.joined(separator: "\n"))
        let model = try RuleCompiler.model([file], since: Instant(nanoseconds: 0), &table.keys)
        _ = table.setModel(model, at: place)
    }

    private mutating func dependents(of key: String) throws -> [String] {
        let number = try table.keys.number(of: EventName(key))
        return table.dependents(of: [number]).elements().map { table.keys[$0].description }.sorted()
    }
}
