// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import Cascade

/// The values of a node as the bus reports them.
@Suite struct NodeEnvironmentTests {
    private func changes(
        isSnapshot: Bool = false, _ values: KeyValuePairs<String, String?>
    ) throws -> EnvironmentChanges {
        EnvironmentChanges(
            node: 1, isSnapshot: isSnapshot,
            try values.map { try EnvironmentChange(EventName($0.key), old: nil, new: $0.value) })
    }

    private func copies(_ environment: NodeEnvironment) -> Int? {
        environment.snapshot.value(of: CopiesKey.self)
    }

    @Test func `a change replaces a value and leaves the others`() throws {
        let environment = NodeEnvironment(watching: EnvironmentValues.keys(of: \.copies))
        #expect(environment.snapshot.value(of: PaperSizeKey.self) == nil)
        #expect(copies(environment) == CopiesKey.defaultValue)
        #expect(environment.apply(try changes(isSnapshot: true, ["copies": "3"])).isEmpty)
        #expect(copies(environment) == 3)
        _ = environment.apply(try changes(["paperSize": "\"a3\""]))
        #expect(copies(environment) == 3)
        _ = environment.apply(try changes(["copies": nil]))
        #expect(copies(environment) == CopiesKey.defaultValue)
    }

    @Test func `a snapshot removes values that it lacks and keeps equal ones`() async throws {
        let environment = NodeEnvironment(
            watching: EnvironmentValues.keys(of: \.copies)
                + EnvironmentValues.keys(of: \.paperSize))
        _ = environment.apply(
            try changes(isSnapshot: true, ["copies": "3", "paperSize": "\"a3\""]))
        let id = ObjectIdentifier(PaperSizeKey.self)
        let kept: AnyObject? = environment.snapshot.box(of: id)
        _ = environment.apply(try changes(isSnapshot: true, ["paperSize": "\"a3\""]))
        #expect(copies(environment) == CopiesKey.defaultValue)
        #expect(kept != nil && environment.snapshot.box(of: id) === kept)
    }

    @Test func `a value of another type reads as the default and is reported with its key`() throws
    {
        let environment = NodeEnvironment(watching: EnvironmentValues.keys(of: \.copies))
        _ = environment.apply(try changes(isSnapshot: true, ["copies": "3"]))
        let problems = environment.apply(try changes(["copies": "\"many\""]))
        #expect(problems.count == 1)
        #expect(problems.first?.contains("value of 'copies'") == true)
        #expect(copies(environment) == CopiesKey.defaultValue)
    }

    @Test func `observers receive each change with both values until the node is detached`()
        async throws
    {
        let environment = NodeEnvironment(watching: EnvironmentValues.keys(of: \.copies))
        let changes = ValueChanges(changes: environment.changes(), keyPath: \.copies)
        _ = environment.apply(try self.changes(isSnapshot: true, ["copies": "3"]))
        _ = environment.apply(try self.changes(["isOpen": "false"]))
        _ = environment.apply(try self.changes(["copies": "4"]))
        environment.close()
        var seen: [[Int]] = []
        for await (old, new) in changes {
            seen.append([old, new])
        }
        #expect(seen == [[1, 3], [3, 4]])
        for await _ in environment.changes() {
            Issue.record("something changed")
        }
    }

    @Test func `the wait for first values ends when they arrive or the node is detached`()
        async throws
    {
        try await NodeEnvironment().arrival()
        let watching = NodeEnvironment(watching: EnvironmentValues.keys(of: \.copies))
        let gone = NodeEnvironment(watching: EnvironmentValues.keys(of: \.copies))
        async let first: Void = watching.arrival()
        async let second: Void = gone.arrival()
        while watching.waiterCount + gone.waiterCount < 2 {
            await Task.yield()
        }
        _ = watching.apply(try changes(isSnapshot: true, ["copies": "3"]))
        gone.close()
        _ = try await (first, second)
        try await watching.arrival()
    }

    @Test func `two key types of one name read the same value, and the bus watches one key`() throws
    {
        struct CopiesText: EnvironmentKey {
            static let name = "copies"
            static let defaultValue: Int? = nil
        }
        let environment = NodeEnvironment(watching: EnvironmentValues.keys(of: \.copies))
        _ = environment.apply(try changes(isSnapshot: true, ["copies": "3"]))
        #expect(environment.watch([ErasedKey(CopiesText.self)]).isEmpty)
        #expect(environment.snapshot.value(of: CopiesText.self) == 3)
        #expect(environment.watch(EnvironmentValues.keys(of: \.isOpen)).map(\.name) == ["isOpen"])
    }
}
