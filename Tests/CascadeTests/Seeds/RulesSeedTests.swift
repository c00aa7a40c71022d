// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// The examples of the article on SwiftUI Rules, ported.
@Suite(.timeLimit(.minutes(1))) struct RulesSeedTests {
    enum Level: String, Codable, Sendable {
        case low, normal, high
    }

    enum FancyColor: String, Codable, Sendable {
        case black, gray, red
    }

    /// Expects that a node reads a value: one that is set or that a rule gives, otherwise the key's
    /// default.
    private func expect<Value: Codable & Sendable & Equatable>(
        _ keyPath: WritableKeyPath<EnvironmentValues, Value>, is expected: Value, at path: NodePath,
        on bus: LoopbackBus, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let value = try await bus.control.value(of: keyPath, at: path)
        #expect(
            value ?? EnvironmentValues()[keyPath: keyPath] == expected,
            sourceLocation: sourceLocation)
    }

    // MARK: - The environment

    @Test func `the nearest limit applies, whatever the nesting`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("page") {
                Node("row") { Node("text") }
                Node("group") { Node("text") }.environment(\.lineLimit, 5)
            }
            .environment(\.lineLimit, 3)
        }
        try await bus.run { bus in
            try await expect(\.lineLimit, is: 3, at: "/page/row/text", on: bus)
            try await expect(\.lineLimit, is: 5, at: "/page/group/text", on: bus)
        }
    }

    @Test func `a key of one's own has a default, and a value where one is set`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("page") { Node("text") }.environment(\.fancyColor, .red)
        }
        try await bus.run { bus in
            try await expect(\.fancyColor, is: .black, at: "/page", on: bus)
            try await expect(\.fancyColor, is: .red, at: "/page/text", on: bus)
        }
    }

    // MARK: - Rules

    /// A worker that is not concerned with the rules: it reads its property.
    struct FancyText: NodeConvertible {
        @Environment(\.fancyColor) private var color
        let log: Journal

        var node: Node {
            Node("text").task { await log.note(color.rawValue) }
        }
    }

    @Test(arguments: [(Level.low, FancyColor.gray), (.high, .red), (.normal, .black)])
    func `a color is derived from the priority of the todo`(
        priority: Level, color: FancyColor
    ) async throws {
        let log = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("todo") {
                FancyText(log: log)
            }
            .environment(\.todoPriority, priority)
            .rules {
                \.todoPriority == .low => \.fancyColor <= .gray
                \.todoPriority == .high => \.fancyColor <= .red
                \.todoPriority == .normal => \.fancyColor <= .black
            }
        }
        try await bus.run { await $0.advance(by: .zero) }
        #expect(await log.entries == [color.rawValue])
    }

    @Test(arguments: [("Buy milk", "Buy milk"), ("IMPORTANT", "Can wait.")])
    func `a rule may name a key whose value other rules give`(
        title: String, shown: String
    ) async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("page") { Node("bar") }
                .environment(\.todoTitle, title)
                .rules {
                    \.navigationBarTitle <= \.title
                    \.title <= \.todoTitle
                    \.todoTitle == "IMPORTANT" => \.title <= "Can wait."
                }
        }
        try await bus.run { bus in
            try await expect(\.navigationBarTitle, is: shown, at: "/page/bar", on: bus)
        }
    }

    @Test func `a priority decides between rules whose conditions hold`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("page") { Node("bar") }
                .environment(\.todoTitle, "IMPORTANT")
                .rules {
                    \.todoTitle == "IMPORTANT" => \.title <= "by complexity"
                    (\.title <= "by priority").priority(.high)
                }
        }
        try await bus.run { bus in
            try await expect(\.title, is: "by priority", at: "/page/bar", on: bus)
        }
    }

    @Test(arguments: [("watch", "minimal"), ("phone", "regular"), ("mac", "high"), ("pad", "high")])
    func `settings switch with the platform`(platform: String, details: String) async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("app") { Node("list") }.environment(\.platform, platform)
        }
        try await bus.run { bus in
            // Rules at the very top: of the bus itself, as the daemon reads them from its files.
            try await bus.load(
                Rules {
                    \.platform == "watch" => \.details <= "minimal"
                    \.platform == "phone" => \.details <= "regular"
                    \.platform == "mac" || \.platform == "pad" => \.details <= "high"
                })
            try await expect(\.details, is: details, at: "/app/list", on: bus)
        }
    }

    @Test func `a workflow is driven by rules, and a set value wins over all of them`() async throws
    {
        let bus = LoopbackBus(mount: .root) {
            Node("tasks") {
                Node("done") { Node("view") }.environment(\.taskStatus, "done")
                Node("new") { Node("view") }.environment(\.taskStatus, "created")
                Node("fixed") { Node("view") }
                    .environment(\.taskStatus, "created").environment(\.actions, ["close"])
            }
            .rules {
                \.taskStatus == "done" => \.actions <= []
                \.taskStatus == "created" => \.actions <= ["accept", "reject"]
            }
        }
        try await bus.run { bus in
            try await expect(\.actions, is: [], at: "/tasks/done/view", on: bus)
            try await expect(
                \.actions, is: ["accept", "reject"], at: "/tasks/new/view", on: bus)
            try await expect(\.actions, is: ["close"], at: "/tasks/fixed/view", on: bus)
        }
    }

    @Test func `every key can be driven by rules`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("app") { Node("text") }.environment(\.platform, "VIP")
                .rules {
                    \.platform == "VIP" => \.lineLimit <= 10
                    \.lineLimit <= 2
                }
        }
        try await bus.run { bus in
            try await expect(\.lineLimit, is: 10, at: "/app/text", on: bus)
        }
    }
}

private struct LineLimitKey: EnvironmentKey { static let defaultValue = 1 }
private struct FancyColorKey: EnvironmentKey {
    static let defaultValue = RulesSeedTests.FancyColor.black
}
private struct TodoPriorityKey: EnvironmentKey {
    static let defaultValue = RulesSeedTests.Level.normal
}
private struct TodoTitleKey: EnvironmentKey { static let defaultValue = "" }
private struct TitleKey: EnvironmentKey { static let defaultValue = "" }
private struct NavigationBarTitleKey: EnvironmentKey { static let defaultValue = "" }
private struct PlatformKey: EnvironmentKey { static let defaultValue = "" }
private struct DetailsKey: EnvironmentKey { static let defaultValue = "" }
private struct TaskStatusKey: EnvironmentKey { static let defaultValue = "" }
private struct ActionsKey: EnvironmentKey { static let defaultValue: [String] = [] }

extension EnvironmentValues {
    fileprivate var lineLimit: Int {
        get { self[LineLimitKey.self] }
        set { self[LineLimitKey.self] = newValue }
    }

    fileprivate var fancyColor: RulesSeedTests.FancyColor {
        get { self[FancyColorKey.self] }
        set { self[FancyColorKey.self] = newValue }
    }

    fileprivate var todoPriority: RulesSeedTests.Level {
        get { self[TodoPriorityKey.self] }
        set { self[TodoPriorityKey.self] = newValue }
    }

    fileprivate var todoTitle: String {
        get { self[TodoTitleKey.self] }
        set { self[TodoTitleKey.self] = newValue }
    }

    fileprivate var title: String {
        get { self[TitleKey.self] }
        set { self[TitleKey.self] = newValue }
    }

    fileprivate var navigationBarTitle: String {
        get { self[NavigationBarTitleKey.self] }
        set { self[NavigationBarTitleKey.self] = newValue }
    }

    fileprivate var platform: String {
        get { self[PlatformKey.self] }
        set { self[PlatformKey.self] = newValue }
    }

    fileprivate var details: String {
        get { self[DetailsKey.self] }
        set { self[DetailsKey.self] = newValue }
    }

    fileprivate var taskStatus: String {
        get { self[TaskStatusKey.self] }
        set { self[TaskStatusKey.self] = newValue }
    }

    fileprivate var actions: [String] {
        get { self[ActionsKey.self] }
        set { self[ActionsKey.self] = newValue }
    }
}
