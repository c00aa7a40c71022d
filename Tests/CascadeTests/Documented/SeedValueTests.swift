// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// The Swift examples about the environment in the table of the article FromSwiftUIToProcesses,
/// word for word.
@Suite(.timeLimit(.minutes(1))) struct SeedValueTests {
    struct CopiesKey: EnvironmentKey { static let defaultValue = 1 }

    @Environment(\.write) var write
    @Environment(\.setEnvironment) var setEnvironment

    private let log = Journal()

    /// Records each change of the value read by a node below, and runs the code there.
    private func entries(
        _ count: Int, below modify: (Node) -> Node,
        _ code: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> [String] {
        let log = log
        let bus = LoopbackBus {
            modify(Node("app"))
            LoopbackProcess(mount: "/app") {
                Node("view").onChange(of: \.copies, initial: true) { _, new in
                    await log.note("\(new)")
                    if new == 2 {
                        try await code()
                    }
                }
            }
        }
        return try await bus.run { _ in try await log.entries(count) }
    }

    @Test func `a node sets a value for its descendants`() async throws {
        @Environment(\.copies) var copies
        #expect(CopiesKey.name == "copies")
        #expect(copies == CopiesKey.defaultValue)
        let entries = try await entries(1) { node in
            node
                .environment(\.copies, 2)
        }
        #expect(entries == ["2"])
    }

    @Test func `a node observes a change with the value before and after it`() async throws {
        let log = log
        let bus = LoopbackBus(mount: "/app") {
            Node("view")
                .onChange(of: \.copies) { old, new in await log.note("\(old) \(new)") }
                .task { await log.note("up") }
        }
        try await bus.run { bus in
            _ = try await log.entries(1)
            try await bus.control.set(\.copies, 3, at: "/app")
            let entries = try await log.entries(2)
            #expect(entries.last == "1 3")
        }
    }

    @Test func `a descendant writes a value`() async throws {
        let modify = { (node: Node) in
            node
                .environment(\.copies, 2, onWrite: { min($0, 10) })
        }
        let entries = try await entries(2, below: modify) {
            try await write(\.copies, 3)
        }
        #expect(entries == ["2", "3"])
    }

    @Test func `a node changes its value at run time`() async throws {
        let modify = { (node: Node) in
            node.environment(\.copies, 2).handle(ItemSelected.self) { _ in
                try await setEnvironment(\.copies, 4)
            }
        }
        let entries = try await entries(2, below: modify) {
            try await EnvironmentValues.current.triggerEvent(ItemSelected())
        }
        #expect(entries == ["2", "4"])
    }

    @Test func `a rule derives a value, and the bus explains a value`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("app") { Node("view") }
                .environment(\.copies, 3)
                .rules {
                    \.copies > 2 => \.greeting <= "many"
                }
        }
        try await bus.run { bus in
            let greeting = try await bus.control.value(of: \.greeting, at: "/app/view")
            #expect(greeting == "many")
            let explanation = try await bus.control.explain(\.copies, at: "/app/view")
            #expect(explanation.value == 3)
        }
    }

    @Test func `a node offers a preference, which its parent observes`() async throws {
        let log = log
        let bus = LoopbackBus(mount: .root) {
            Node("app") {
                Node("view")
                    .preference(QueuedJobsKey.self, 2)
            }
            .onPreferenceChange(QueuedJobsKey.self) { await log.note("\($0)") }
        }
        try await bus.run { _ in
            let entries = try await log.entries(1)
            #expect(entries == ["2"])
        }
    }
}
